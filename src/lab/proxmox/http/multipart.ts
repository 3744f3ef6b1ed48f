/** The body of an upload, as pve-http-server reads it: known fields in order, then the file, which is not kept. */
import { createHash, type Hash } from 'node:crypto';

export interface UploadedFile {
  readonly size: number;
  readonly hashes: Readonly<Record<string, string>>;
  /** The first bytes, which tell what it is. */
  readonly head: Buffer;
}

interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: UploadedFile;
}

/** What is wrong with it: a field that is not known, or no file at all. */
type UploadProblem = 'unknown field' | 'no file';

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];
const FIELDS = ['content', 'checksum-algorithm', 'checksum'];
/** All that stands before the file. */
const LARGEST_HEAD = 64 * 1024;
const HEAD_KEPT = 1024;

export function boundaryOf(contentType: string | undefined): string | undefined {
  const [type = '', ...parameters] = (contentType ?? '').split(/\s*[;,]\s*/);
  if (type.trim().toLowerCase() !== 'multipart/form-data') return undefined;
  const found = parameters.map((text) => /^\s*boundary\s*=\s*(\S+?)\s*$/.exec(text)?.[1]);
  return found.find((boundary) => boundary !== undefined);
}

export async function readUpload(
  body: AsyncIterable<Buffer>,
  boundary: string,
): Promise<Upload | UploadProblem> {
  const reader = new UploadReader(boundary);
  for await (const chunk of body) reader.push(chunk);
  return reader.end();
}

class UploadReader {
  readonly #fields: Record<string, string> = {};
  readonly #delimiter: Buffer;
  readonly #hashes: Hash[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #inFile = false;
  #problem: UploadProblem | undefined;
  #size = 0;
  #head: Buffer = Buffer.alloc(0);

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`--${boundary}`);
  }

  push(chunk: Buffer): void {
    if (this.#problem) return;
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    if (!this.#inFile) this.#readHead();
    if (this.#inFile) this.#take(this.#buffer.length - this.#delimiter.length - 8);
  }

  end(): Upload | UploadProblem {
    if (this.#problem || !this.#inFile) return this.#problem ?? 'no file';
    const close = this.#buffer.indexOf(Buffer.concat([this.#delimiter, Buffer.from('--')]));
    if (close < 0) return 'no file';
    const last = this.#buffer.subarray(0, close);
    const breakLength = last.subarray(-2).toString() === '\r\n' ? 2 : last.at(-1) === 10 ? 1 : 0;
    this.#take(close - breakLength);
    const hashes = this.#hashes.map((hash, index) => [ALGORITHMS[index], hash.digest('hex')]);
    return {
      fields: this.#fields,
      file: { size: this.#size, hashes: Object.fromEntries(hashes), head: this.#head },
    };
  }

  /** Fields until the one that has a file; each ends where the next begins. */
  #readHead(): void {
    for (;;) {
      const text = this.#buffer.toString('latin1');
      const start = text.indexOf(this.#delimiter.toString('latin1'));
      const headers = /\r?\n\r?\n/.exec(text.slice(Math.max(start, 0)));
      if (start < 0 || !headers) {
        if (this.#buffer.length > LARGEST_HEAD) this.#problem = 'no file';
        return;
      }
      const data = start + headers.index + headers[0].length;
      const disposition = text.slice(start, data);
      const name = /; name="([^"]*)"/.exec(disposition)?.[1] ?? '';
      const filename = /; filename="([^"]+)"/.exec(disposition)?.[1];
      if (filename !== undefined) {
        if (name !== 'filename') this.#problem = 'unknown field';
        this.#fields.filename = Buffer.from(filename, 'latin1').toString('utf8').trim();
        this.#buffer = this.#buffer.subarray(data);
        this.#inFile = true;
        for (const algorithm of ALGORITHMS) this.#hashes.push(createHash(algorithm));
        return;
      }
      const next = this.#buffer.indexOf(this.#delimiter, data);
      if (next < 0) return;
      if (!FIELDS.includes(name)) {
        this.#problem = 'unknown field';
        return;
      }
      this.#fields[name] = this.#buffer.subarray(data, next).toString('utf8').trim();
      this.#buffer = this.#buffer.subarray(next);
    }
  }

  #take(length: number): void {
    if (length <= 0) return;
    const data = this.#buffer.subarray(0, length);
    for (const hash of this.#hashes) hash.update(data);
    if (this.#head.length < HEAD_KEPT) {
      this.#head = Buffer.concat([this.#head, data.subarray(0, HEAD_KEPT - this.#head.length)]);
    }
    this.#size += data.length;
    this.#buffer = this.#buffer.subarray(length);
  }
}
