/** Why a change cannot be made to a running machine: it becomes the request's error, and the change stays pending. */
export class HotplugError extends Error {}

/** No error: the change waits for the next start. */
export const NOT_NOW = new HotplugError('skip');
