import { redactedTextsOf } from '../../formats/redact/redact-object.js';
import { redactText } from '../../formats/redact/redact-text.js';
import { isKubernetesError, KubernetesError } from './errors.js';

/** An API server that refuses an object repeats its values. */
export async function withoutObject<T>(object: unknown, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isKubernetesError(error)) throw error;
    const hidden = redactedTextsOf(object);
    const message = redactText(error.message, hidden);
    if (message === error.message) throw error;
    const { code, where, advice, status } = error;
    throw new KubernetesError(code, message, {
      ...(where !== undefined && { where }),
      ...(advice !== undefined && { advice }),
      ...(status && {
        status: {
          ...status,
          message: redactText(status.message, hidden),
          causes: status.causes.map((cause) => ({ ...cause, message: redactText(cause.message, hidden) })),
        },
      }),
    });
  }
}
