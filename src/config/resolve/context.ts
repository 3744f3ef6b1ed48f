/** What every part of the resolver needs: the report, and the files that the config names. */
import { stringify } from 'yaml';
import { readYamlDocuments, YamlTextError } from '../../formats/text/yaml-text.js';
import type { PatchSource } from '../config.js';
import type { FileText, Fragment } from '../config-values.js';
import type { Report } from '../report.js';
import { redactConfigSource } from '../secret-ref.js';
import { formatPath, type Path } from '../yaml/position.js';

/** Text of a file named in the config, by the path as written there; `undefined` if there is none. */
export type ReadText = (path: string) => string | undefined;

export class ResolveContext {
  readonly #texts = new Map<string, string | undefined>();
  readonly #documents = new Map<string, readonly unknown[] | undefined>();
  readonly #origins = new Map<string, Path>();

  constructor(
    readonly report: Report,
    private readonly readText: ReadText,
  ) {}

  /** Where the config speaks of a patch, by its origin; of a file that several places name, the first. */
  get origins(): ReadonlyMap<string, Path> {
    return this.#origins;
  }

  /** A file that must be there. */
  file(path: string, at: Path): FileText | undefined {
    if (!this.#texts.has(path)) this.#texts.set(path, this.readText(path));
    const text = this.#texts.get(path);
    if (text === undefined) {
      this.report.error({
        code: 'config.file-missing',
        path: at,
        message: `\`${formatPath(at)}\`: there is no readable file \`${path}\``,
        hint: 'paths are relative to the config file',
      });
      return undefined;
    }
    return { path, text };
  }

  /** A mapping: written out, as text, or in a file. */
  fragment(value: string | Fragment, at: Path): Fragment | undefined {
    if (typeof value !== 'string') return value;
    const file = value.includes('\n') ? { path: formatPath(at), text: value } : this.file(value, at);
    return file && this.fragmentText(file, at);
  }

  fragmentText(file: FileText, at: Path): Fragment | undefined {
    const documents = this.#parse(file, at);
    if (!documents) return undefined;
    const [first, ...more] = documents;
    if (isFragment(first) && more.length === 0) return first;
    this.report.error({
      code: 'config.file-content',
      path: at,
      message: `\`${formatPath(at)}\`: \`${file.path}\` is not one YAML mapping`,
    });
    return undefined;
  }

  patch(value: string | Fragment, at: Path): PatchSource | undefined {
    if (typeof value !== 'string') {
      if (Object.keys(value).length > 0) {
        return this.#patchSource(stringify(value, { compat: 'yaml-1.1' }), formatPath(at), at);
      }
      this.report.error({
        code: 'talos.patch',
        path: at,
        message: `\`${formatPath(at)}\`: the patch is empty`,
      });
      return undefined;
    }
    const file = value.includes('\n') ? { path: formatPath(at), text: value } : this.file(value, at);
    if (!file) return undefined;
    const documents = this.#parse(file, at);
    if (!documents) return undefined;
    if (documents.length === 0 || !documents.every(isFragment)) {
      this.report.error({
        code: 'talos.patch',
        path: at,
        message: `\`${formatPath(at)}\`: \`${file.path}\` is not a strategic patch (YAML mappings)`,
        hint: 'JSON patches (lists of `op`) are not taken: write the part of the machine config that changes',
      });
      return undefined;
    }
    return this.#patchSource(file.text, file.path, at);
  }

  #patchSource(text: string, origin: string, at: Path): PatchSource {
    if (!this.#origins.has(origin)) this.#origins.set(origin, at);
    return { text, origin };
  }

  #parse(file: FileText, at: Path): readonly unknown[] | undefined {
    if (!this.#documents.has(file.text)) this.#documents.set(file.text, this.#parseAnew(file, at));
    return this.#documents.get(file.text);
  }

  #parseAnew(file: FileText, at: Path): readonly unknown[] | undefined {
    try {
      return readYamlDocuments(file.text, { merge: true }).filter((value) => value !== null);
    } catch (error) {
      if (!(error instanceof YamlTextError)) throw error;
      this.report.error({
        code: 'config.file-content',
        path: at,
        message: `\`${formatPath(at)}\`: \`${file.path}\` is not YAML at line ${error.line}, column ${error.column}: ${redactConfigSource(error.detail)}`,
      });
    }
    return undefined;
  }
}

function isFragment(value: unknown): value is Fragment {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
