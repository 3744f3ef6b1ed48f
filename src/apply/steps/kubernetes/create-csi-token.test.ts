import { describe, expect, it } from 'vitest';
import { partOf } from '../../../../test/support/part-of.js';
import type { KubernetesObject } from '../../../clients/kubernetes/index.js';
import { type CsiAccessDesign, csiTokenIn, REPLACING_TOKEN } from '../../../design/kubernetes/csi.js';
import { APPLIED, type KubeObject } from '../../../design/kubernetes/managed-object.js';
import type { StepOf } from '../../../plan/steps.js';
import type { StepContext } from '../../support/context.js';
import { createCsiToken } from './create-csi-token.js';

const CSI: CsiAccessDesign = {
  driver: 'built-in',
  user: 'csi@pve',
  tokenId: 'driver',
  url: 'https://pve1.lan:8006/api2/json',
  insecure: false,
  region: 'rack',
  hash: 'hash-of-the-file',
  grants: [{ path: '/vms', role: 'csi', propagate: true }],
};

const STEP: StepOf<'create-csi-token'> = partOf<StepOf<'create-csi-token'>>({
  kind: 'create-csi-token',
  user: CSI.user,
  tokenId: CSI.tokenId,
  hash: CSI.hash,
  rotate: true,
});

/** Proxmox's token, the Secret and the controller; the write number `cut` fails, as if the process had ended there. */
class World {
  token: string | undefined = 'first';
  secret: KubeObject | undefined;
  controllerToken: unknown;
  cut = Number.POSITIVE_INFINITY;
  #writes = 0;
  #made = 0;

  #write(): void {
    this.#writes += 1;
    if (this.#writes === this.cut) throw new Error('cut off');
  }

  get writes(): number {
    return this.#writes;
  }

  /** What the next plan compares. */
  get mark(): string | undefined {
    return this.secret?.metadata.annotations?.[APPLIED];
  }

  get storedToken(): string {
    return csiTokenIn(this.secret?.data as Record<string, string>).secret;
  }

  run(rotate: boolean): Promise<unknown> {
    const context = partOf<StepContext>({
      clock: { elapsed: () => 0, now: () => 0, sleep: async () => undefined },
      progress: () => undefined,
      signal: new AbortController().signal,
      client: {
        tokens: async () => (this.token === undefined ? [] : [{ tokenid: CSI.tokenId, privsep: true }]),
        deleteToken: async () => {
          this.#write();
          this.token = undefined;
        },
        createToken: async () => {
          this.#write();
          this.#made += 1;
          this.token = `made-${this.#made}`;
          return { secret: this.token, fullTokenId: `${CSI.user}!${CSI.tokenId}` };
        },
        grant: async () => this.#write(),
      },
      kubernetes: {
        design: { csi: CSI },
        client: {
          get: async (resource: { kind: string }) =>
            (resource.kind === 'Secret' ? this.secret : { spec: {} }) as never,
          apply: async <T extends KubernetesObject>(object: T) => {
            this.#write();
            const written: unknown = object;
            this.secret = written as KubeObject;
            return object;
          },
          patch: async (_resource: unknown, _name: string, patch: unknown) => {
            this.#write();
            this.controllerToken = patch;
            return {} as never;
          },
        },
      },
    });
    return createCsiToken({ ...STEP, rotate }, context);
  }
}

async function builtWorld(): Promise<World> {
  const world = new World();
  world.token = undefined;
  await world.run(false);
  expect(world.mark).toBe(CSI.hash);
  expect(world.storedToken).toBe(world.token);
  return world;
}

describe('a new token for the CSI driver', () => {
  it('is in the Secret, and the controller is restarted with it', async () => {
    const world = await builtWorld();
    const before = world.token;
    await world.run(true);
    expect(world.token).not.toBe(before);
    expect(world.storedToken).toBe(world.token);
    expect(world.mark).toBe(CSI.hash);
  });

  it('is an open step after a cut at any write, and complete after the next run', async () => {
    const { writes } = await builtWorld();
    const rotated = await builtWorld();
    await rotated.run(true);
    const points = rotated.writes - writes;
    expect(points).toBeGreaterThan(5);
    for (let point = 1; point <= points; point += 1) {
      const world = await builtWorld();
      world.cut = world.writes + point;
      await expect(world.run(true)).rejects.toThrow('cut off');
      // Either nothing has happened yet, or the next plan sees that it is not complete.
      if (world.mark === CSI.hash) expect(world.storedToken).toBe(world.token);
      else expect(world.mark).toBe(REPLACING_TOKEN);
      world.cut = Number.POSITIVE_INFINITY;
      await world.run(false);
      expect(world.storedToken).toBe(world.token);
      expect(world.mark).toBe(CSI.hash);
    }
  });
});
