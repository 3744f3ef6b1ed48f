/** What the schema knows at a path: for "did you mean" and for examples in messages. */
import { z } from 'zod';
import type { Path } from '../yaml/position.js';

/** Every object that may stand at the path: several where types differ, such as volumes. */
function objectsAt(schema: z.ZodType, path: Path): z.ZodObject[] {
  const [step, ...rest] = path;
  return unwrap(schema).flatMap((each) => {
    if (step === undefined) return each instanceof z.ZodObject ? [each] : [];
    if (each instanceof z.ZodObject) {
      const inner = each.shape[String(step)];
      return inner instanceof z.ZodType ? objectsAt(inner, rest) : [];
    }
    if (each instanceof z.ZodRecord && each.valueType instanceof z.ZodType)
      return objectsAt(each.valueType, rest);
    if (each instanceof z.ZodArray && each.element instanceof z.ZodType) return objectsAt(each.element, rest);
    return [];
  });
}

function unwrap(schema: z.ZodType): z.ZodType[] {
  const inner =
    schema instanceof z.ZodUnion
      ? schema.options
      : schema instanceof z.ZodExactOptional
        ? [schema.unwrap()]
        : [];
  const types = inner.filter((each) => each instanceof z.ZodType);
  return types.length > 0 ? types.flatMap(unwrap) : [schema];
}

export function knownKeys(schema: z.ZodType, path: Path): string[] {
  return [...new Set(objectsAt(schema, path).flatMap((object) => Object.keys(object.shape)))];
}

/** Sections that know the key, for one that stands in the wrong place. */
export function sectionsWith(schema: z.ZodObject, key: string): string[] {
  return Object.keys(schema.shape).filter((section) => knownKeys(schema, [section]).includes(key));
}

/** The example given for a key, where it is a single value. */
export function exampleFor(schema: z.ZodType, path: Path): string | undefined {
  const key = String(path.at(-1) ?? '');
  for (const object of objectsAt(schema, path.slice(0, -1))) {
    const example = object.shape[key]?.meta()?.example;
    if (typeof example === 'string' || typeof example === 'number') return String(example);
  }
  return undefined;
}
