/**
 * The first line of a config that oxherd gives a machine is a comment with the config's own hash. Talos keeps a config
 * as the bytes it was given (`Bytes` in pkg/machinery/config/container/container.go of 1.13), and every patch writes it
 * again without comments (`Bytes` in pkg/machinery/config/configpatcher/apply.go). So a config whose line is gone, or
 * names another hash than it has, was changed by someone else since; and the line still says what was given.
 */
import { machineConfigMeaning } from './meaning.js';

const LINE = /^# oxherd ([0-9a-f]{16})\n/;

export function markedConfig(text: string): string {
  return `# oxherd ${configMark(machineConfigMeaning(text).hash)}\n${text}`;
}

/** The config without its mark, so that it is read once whether or not it has one; and the mark. */
export function unmarkedConfig(text: string): { readonly text: string; readonly mark?: string } {
  const mark = LINE.exec(text)?.[1];
  return mark === undefined ? { text } : { text: text.replace(LINE, ''), mark };
}

/** What stands in the line for a config with this hash. */
export function configMark(hash: string): string {
  return hash.slice(0, 16);
}
