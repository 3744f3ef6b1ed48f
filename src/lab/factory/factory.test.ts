import { afterEach, describe, expect, it } from 'vitest';
import { connectFactory } from '../../clients/factory/index.js';
import { schematicIdOf } from '../../formats/talos/schematic-reader.js';
import { DrivenClock } from '../clock.js';
import { createFaults } from '../faults.js';
import type { LabCore } from '../lab.js';
import { privateNetwork } from '../network.js';
import { storedRandom } from '../random.js';
import { memoryStore } from '../store.js';
import { createTimeline } from '../timeline.js';
import { createFactory } from './factory.js';
import { serveFactory } from './server.js';

const SCHEMATIC =
  'customization:\n  systemExtensions:\n    officialExtensions:\n      - siderolabs/qemu-guest-agent\n';
const ID = schematicIdOf({
  customization: { systemExtensions: { officialExtensions: ['siderolabs/qemu-guest-agent'] } },
});
const imageUrl = (id: string, version = 'v1.14.1') =>
  `https://factory.talos.dev/image/${id}/${version}/nocloud-amd64.qcow2`;

function newCore(): LabCore {
  const store = memoryStore();
  const clock = new DrivenClock(0);
  return {
    store,
    clock,
    timeline: createTimeline(store, clock),
    network: privateNetwork(),
    faults: createFaults(store),
    random: storedRandom(store, 'factory'),
  };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(core = newCore()) {
  const factory = createFactory(core, { strict: true });
  const server = await serveFactory(factory, core.network);
  const client = connectFactory({
    url: 'https://factory.talos.dev',
    dial: (host, port) => core.network.dial(host, port),
  });
  closing.push(() => client.close(), server.close);
  return { core, factory, client };
}

describe('the factory and its client', () => {
  it('agree on the id of a schematic', async () => {
    const { client, factory } = await served();
    expect(await client.register(SCHEMATIC)).toBe(ID);
    await expect(client.ensure(SCHEMATIC, ID)).resolves.toBeUndefined();
    await expect(client.ensure(SCHEMATIC, '0'.repeat(64))).rejects.toMatchObject({
      code: 'factory.other-id',
    });
    expect(factory.extensionsOf(ID)).toEqual(['siderolabs/qemu-guest-agent']);
  });

  it('serve images of registered schematics only', async () => {
    const { client, factory } = await served();
    expect(factory.file(imageUrl(ID))?.status).toBe(404);
    expect(factory.hasImage(`factory.talos.dev/nocloud-installer/${ID}:v1.14.1`)).toBe(false);
    await client.register(SCHEMATIC);
    expect(factory.file(imageUrl(ID))).toMatchObject({
      status: 200,
      image: { schematic: ID, version: 'v1.14.1' },
    });
    expect(factory.file(imageUrl(ID, 'v1.2.3'))?.status).toBe(404);
    expect(factory.file('https://example.org/other.qcow2')).toBeUndefined();
    for (const format of ['raw.xz', 'raw.gz', 'raw.zst', 'iso'])
      expect(factory.file(imageUrl(ID).replace('qcow2', format))).toMatchObject({
        status: 200,
        image: { format },
      });
    for (const format of ['raw', 'constructor'])
      expect(factory.file(imageUrl(ID).replace('qcow2', format))?.status).toBe(404);
    // Without customization it is there from the beginning.
    expect(factory.file(imageUrl(schematicIdOf({ customization: {} })))?.status).toBe(200);
    expect(factory.hasImage(`factory.talos.dev/nocloud-installer/${ID}:v1.14.1`)).toBe(true);
  });

  it('name extensions that a version does not have', async () => {
    const { client } = await served();
    expect(await client.missingExtensions('v1.14.1', ['siderolabs/zfs', 'siderolabs/nope'])).toEqual([
      'siderolabs/nope',
    ]);
    expect(await client.versions()).toContain('v1.14.1');
  });

  it('say what to do when the text is wrong or no one is there', async () => {
    const { client, core } = await served();
    await expect(client.register('customization: [')).rejects.toMatchObject({ code: 'factory.refused' });
    core.network.up('factory.talos.dev', 443, { host: '127.0.0.1', port: 1 });
    await expect(client.versions()).rejects.toMatchObject({ code: 'factory.unreachable' });
  });

  it('fail a download on demand', () => {
    const core = newCore();
    const factory = createFactory(core);
    core.faults.set({ name: 'download-fails', subject: '', countdown: null });
    expect(factory.file(imageUrl(ID))?.status).toBe(503);
  });
});

it('is found under the name and port that a config gives it', async () => {
  const core = newCore();
  const more = ['https://images.lan:8443', 'http://images.lan'];
  const server = await serveFactory(createFactory(core), core.network, more);
  closing.push(() => server.close());
  for (const [name, port] of [
    ['images.lan', 8443],
    ['images.lan', 80],
    ['factory.talos.dev', 443],
  ] as const)
    expect(core.network.dial(name, port)).toEqual({
      host: '127.0.0.1',
      port: Number(new URL(server.url).port),
    });
  expect(core.network.dial('images.lan', 443)).toBeUndefined();
});
