/** One JSON line per event, without secrets. */
import { redactStrings } from '../../formats/redact/redact-text.js';

type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export function jsonLog(write: (line: string) => void, now: () => number): Log {
  const line = (level: string, message: string, fields: Fields): void => {
    const document = { time: new Date(now()).toISOString(), level, message, ...fields };
    write(`${JSON.stringify(redactStrings(document))}\n`);
  };
  return {
    info: (message, fields = {}) => line('info', message, fields),
    error: (message, fields = {}) => line('error', message, fields),
  };
}
