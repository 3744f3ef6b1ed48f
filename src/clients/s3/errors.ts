import { OxherdError } from '../../model/error.js';

/** What went wrong with an S3-compatible store. */
export class S3Error extends OxherdError {
  override readonly name: string = 'S3Error';
}

/** A refusal in the store's own words; they are XML, and keys that they may repeat are left out. */
export function refusal(where: string, status: number, xml: string): S3Error {
  const code = textOf(xml, 'Code');
  const message = textOf(xml, 'Message') ?? 'no reason given';
  const text = `${where} answers ${status}${code === undefined ? '' : ` ${code}`}: ${message.slice(0, 300)}`;
  return new S3Error(codeOf(status), text, { where, advice: adviceOf(status, code) });
}

function codeOf(status: number): string {
  if (status === 404) return 's3.missing';
  if (status === 401 || status === 403) return 's3.denied';
  return status < 500 ? 's3.refused' : 's3.failed';
}

function adviceOf(status: number, code: string | undefined): string {
  if (code === 'NoSuchBucket') return 'create the bucket, or correct its name';
  if (code === 'RequestTimeTooSkewed') return 'set the clock of this machine';
  if (code === 'SignatureDoesNotMatch') return 'check the secret key and --region';
  if (status === 401 || status === 403)
    return 'the key needs s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject and s3:DeleteObject below the prefix';
  return status < 500 ? 'check --endpoint, bucket and prefix' : 'try again later';
}

/** The content of the first element of this name. */
export function textOf(xml: string, element: string): string | undefined {
  const content = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return content === undefined ? undefined : unescapeXml(content);
}

/** The contents of all elements of this name. */
export function textsOf(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, content = '']) =>
    unescapeXml(content),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0x10ffff ? whole : String.fromCodePoint(point);
  });
}
