import type { LabPartMaker } from '../index.js';
import type { LabCore } from '../lab.js';
import { createFactory, type Factory, type FactoryOptions } from './factory.js';
import { serveFactory } from './server.js';

/** One factory per lab, for the machines that pull from it and the hosts that download from it. */
export function factoryOf(options: FactoryOptions = {}): (core: LabCore) => Factory {
  const made = new WeakMap<LabCore, Factory>();
  return (core) => {
    const factory = made.get(core) ?? createFactory(core, options);
    made.set(core, factory);
    return factory;
  };
}

/** `urls`: where else than at its usual name it is found. */
export function factoryPart(factoryFor: (core: LabCore) => Factory, urls?: readonly string[]): LabPartMaker {
  return (core) => {
    const factory = factoryFor(core);
    let served: Awaited<ReturnType<typeof serveFactory>> | undefined;
    return {
      name: 'factory',
      file: (url) => factory.file(url),
      async start() {
        served = await serveFactory(factory, core.network, urls);
      },
      async stop() {
        await served?.close();
      },
    };
  };
}
