import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectFactory } from './factory/factory-client.js';
import { readLimited, TooLarge } from './read-limited.js';

async function* endless() {
  for (;;) yield new Uint8Array(1_000);
}

describe('an answer', () => {
  it('that never ends is refused with the limit', async () => {
    await expect(readLimited(endless(), 1024 * 1024)).rejects.toThrow(new TooLarge(1024 * 1024));
  });

  it('of a factory that sends too much ends with an error that names the limit', async () => {
    const server = createServer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1_000_000, 32)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const factory = connectFactory({ url: `http://127.0.0.1:${port}` });
    onTestFinished(async () => {
      await factory.close();
      server.closeAllConnections();
      server.close();
    });
    await expect(factory.versions()).rejects.toMatchObject({
      code: 'factory.answer',
      message: expect.stringContaining('larger than 16 MiB'),
    });
  });
});
