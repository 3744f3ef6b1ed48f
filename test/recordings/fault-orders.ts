/** The replay orders a fault by a hook; the command line carries it out, in this process: to start it each time takes longer. */
import { createServer } from 'node:http';
import { runApp } from '../../src/cli/app.js';
import { testContext } from '../support/cli/context.js';

export interface FaultOrders {
  /** What the replay runs, with the words of the order behind it. */
  readonly hook: string;
  close(): void;
}

/** What `lab fault` is told by the words of an order. */
function faultOf([about, word, subject]: readonly string[]): readonly [string, 'on' | 'off'] | undefined {
  switch (`${about} ${word}`) {
    case 'statd stop':
      return [`statd-down=${subject}`, 'on'];
    case 'statd start':
      return [`statd-down=${subject}`, 'off'];
    case 'host down':
      return [`host-down=${subject}`, 'on'];
    case 'host up':
      return [`host-down=${subject}`, 'off'];
    case 'expected 1':
      return ['expected-one', 'on'];
    case 'quorum lost':
      return ['no-quorum', 'on'];
    case 'quorum regained':
      return ['no-quorum', 'off'];
    default:
      return undefined;
  }
}

export async function takeFaultOrders(state: string): Promise<FaultOrders> {
  const server = createServer(async (request, response) => {
    const fault = faultOf((request.url ?? '').split('/').slice(1));
    const argv = ['lab', 'fault', ...(fault ?? []), '--state', state];
    const { context } = testContext(state);
    const signal = new AbortController().signal;
    const exit = fault ? await runApp({ argv, ...context, signal, version: '0.0.0-test' }) : 2;
    response.writeHead(exit === 0 ? 200 : 400).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    hook: `sh test/recordings/fault-hook.sh ${port}`,
    close: () => void server.close(),
  };
}
