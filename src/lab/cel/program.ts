import { type CelInput, CelScalar, celEnv, isCelError, plan } from '@bufbuild/cel';
import { type CelScope, type Checked, checkSource } from './check.js';
import { kubernetesLibrary } from './library.js';
import { CelFault } from './source.js';
import { asInput } from './tagged.js';
import { BOOL, type CelType, celScalar, sameType } from './types.js';

export interface Program {
  readonly uses: ReadonlySet<string>;
  readonly type: CelType;
  /** Throws `CelFault` with cel-go's text where the evaluation fails. */
  run(variables: Readonly<Record<string, CelInput>>): CelInput;
}

let library: ReturnType<typeof kubernetesLibrary> | undefined;

/** Reads, types and plans an expression; throws `CelFault` with what is wrong with it. */
export function compile(source: string, scope: CelScope): Program {
  const checked: Checked = checkSource(source, scope);
  const variables = Object.fromEntries(Object.keys(scope.variables).map((name) => [name, CelScalar.DYN]));
  library ??= kubernetesLibrary();
  const program = plan(celEnv({ variables, funcs: library }), checked.parsed);
  return {
    uses: checked.uses,
    type: checked.type,
    run(bindings) {
      const result = program(bindings);
      if (isCelError(result)) throw new CelFault(runtimeFault(result.message));
      return asInput(result);
    },
  };
}

export const isBool = (type: CelType) => sameType(type, BOOL);
export const isString = (type: CelType) => sameType(type, celScalar('string'));

/** The library's words for what fails while evaluating, in cel-go's. */
function runtimeFault(message: string): string {
  const missing = /^field not found: (.*)$/.exec(message);
  if (missing) return `no such key: ${missing[1]}`;
  const outside = /^index (-?\d+) out of bounds/.exec(message);
  if (outside) return `index out of bounds: ${outside[1]}`;
  if (/divide by zero/.test(message)) return 'division by zero';
  if (/modulus by zero|modulo by zero/.test(message)) return 'modulus by zero';
  if (/^found no matching overload/.test(message)) return 'no such overload';
  return message;
}
