import { decodePem } from '../../../secrets/pem.js';
import { partsOf } from '../../../secrets/x509/der.js';
import { listOf, objOf, sameJson, textOf } from '../json.js';
import { duplicateValue, type FieldError, invalidValue, requiredValue, unsupportedValue } from '../status.js';
import type { KindRules } from './resource-type.js';

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

function requestFault(request: string): string | undefined {
  const text = Buffer.from(request, 'base64').toString('latin1');
  if (!text.includes('-----BEGIN CERTIFICATE REQUEST-----')) {
    return 'PEM block type must be CERTIFICATE REQUEST';
  }
  return isRequest(text) ? undefined : 'asn1: structure error: malformed certificate request';
}

/** Version, name, public key and attributes; the algorithm; the signature (RFC 2986). */
function isRequest(text: string): boolean {
  const tagsOf = (bytes: Uint8Array | undefined) => partsOf(bytes ?? Buffer.alloc(0)).map(({ tag }) => tag);
  try {
    const [whole, ...more] = partsOf(decodePem(text).der);
    const [info] = partsOf(whole?.content ?? Buffer.alloc(0));
    return (
      more.length === 0 &&
      sameJson(tagsOf(whole?.content), [0x30, 0x30, 0x03]) &&
      sameJson(tagsOf(info?.content).slice(0, 3), [0x02, 0x30, 0x30])
    );
  } catch {
    return false;
  }
}

function usageErrors(usages: readonly unknown[]): FieldError[] {
  if (usages.length === 0) return [requiredValue('spec.usages')];
  const seen = new Set<unknown>();
  return usages.flatMap((usage, index) => {
    const field = `spec.usages[${index}]`;
    if (!USAGES.includes(textOf(usage))) return [unsupportedValue(field, usage, USAGES)];
    if (seen.has(usage)) return [duplicateValue(field, usage)];
    seen.add(usage);
    return [];
  });
}

/** `pkg/apis/certificates/validation`. */
export const certificateRequestRules: KindRules = {
  /** Who asked is what the API server knows, not what the request says. */
  admitCreate(draft, { user }) {
    const { username: _n, uid: _u, groups: _g, extra: _e, ...spec } = objOf(draft.spec);
    draft.spec = {
      ...spec,
      ...(user ? { username: user.name, groups: user.groups } : {}),
      ...(user?.uid === undefined ? {} : { uid: user.uid }),
    };
    draft.status = {};
  },
  admitUpdate(draft, old) {
    draft.spec = old.spec;
    draft.status = old.status;
  },
  /** A condition that comes has a time. */
  admitStatus(draft, old, { time }) {
    const status = objOf(draft.status);
    const before = listOf(objOf(old.status).conditions).map(objOf);
    const conditions = listOf(status.conditions).map((item) => {
      const condition = objOf(item);
      if (before.some((known) => sameJson(known, condition))) return condition;
      return { lastUpdateTime: time, lastTransitionTime: time, ...condition };
    });
    draft.status = { ...status, ...(conditions.length > 0 ? { conditions } : {}) };
  },
  validate(object) {
    const { request, signerName, usages, expirationSeconds } = objOf(object.spec);
    const errors: FieldError[] = [];
    const fault = requestFault(textOf(request));
    if (fault) errors.push(invalidValue('spec.request', request ?? null, fault));
    errors.push(...usageErrors(listOf(usages)));
    const signer = textOf(signerName);
    if (signer === '') errors.push(requiredValue('spec.signerName'));
    else if (!/^[^/]+\.[^/]+\/.+$/.test(signer)) {
      const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
      errors.push(invalidValue('spec.signerName', signer, detail));
    }
    if (typeof expirationSeconds === 'number' && expirationSeconds < 600) {
      const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
      errors.push(invalidValue('spec.expirationSeconds', expirationSeconds, detail));
    }
    return [...errors, ...decisionErrors(listOf(objOf(object.status).conditions))];
  },
  fieldLabels: (request) => ({ 'spec.signerName': textOf(objOf(request.spec).signerName) }),
};

/** A request is approved or denied, not both. */
function decisionErrors(conditions: readonly unknown[]): FieldError[] {
  const types = conditions.map((condition) => objOf(condition).type);
  if (!types.includes('Approved') || !types.includes('Denied')) return [];
  const [yes, no] = ['conditions[{"type": "Approved"}]', 'conditions[{"type": "Denied"}]'];
  const detail = `must specify at most one of: \`${yes}\`, \`${no}\``;
  return [invalidValue('status.conditions', `{${yes}, ${no}}`, detail)];
}
