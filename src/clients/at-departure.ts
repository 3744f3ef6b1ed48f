/** Asks once more at the moment in which undici has a connection and is about to write the request. */
import type { Dispatcher } from 'undici';
import { NotSent } from '../model/write-gate.js';

/** The same dispatcher, for requests that leave only if `mayLeave`. */
export function atDeparture(
  dispatcher: Dispatcher,
  mayLeave: (() => boolean) | undefined,
): Pick<Dispatcher, 'request'> {
  if (!mayLeave) return dispatcher;
  return dispatcher.compose(
    (dispatch) => (options, handler) => dispatch(options, departing(handler, mayLeave)),
  );
}

function departing(inner: Dispatcher.DispatchHandler, mayLeave: () => boolean): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      // Thrown here it fails this request alone, and the connection stays.
      if (!mayLeave()) throw new NotSent();
      inner.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...told) => inner.onRequestUpgrade?.(...told),
    onResponseStart: (...told) => inner.onResponseStart?.(...told),
    onResponseData: (...told) => inner.onResponseData?.(...told),
    onResponseEnd: (...told) => inner.onResponseEnd?.(...told),
    onResponseError: (...told) => inner.onResponseError?.(...told),
  };
}
