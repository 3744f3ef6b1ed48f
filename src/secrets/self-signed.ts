/** A certificate that signs itself, with an RSA key: what sealed-secrets wants. */
import { CA_VALIDITY_MS, type RandomBytes, validSince } from './certificates.js';
import { newRsaKey } from './keys.js';
import { encodePem } from './pem.js';
import { nameOf, signCertificate } from './x509/sign-certificate.js';

/** Both as PEM, the key as PKCS#8. */
export async function selfSignedRsa(
  name: string,
  { now, random }: { readonly now: Date; readonly random: RandomBytes },
): Promise<{ certificate: string; key: string }> {
  const key = await newRsaKey(4096);
  const subject = nameOf(['CN', name], ['O', name]);
  const notBefore = validSince(now);
  const notAfter = new Date(notBefore.getTime() + CA_VALIDITY_MS);
  const fields = { serial: random(16), subject, issuer: subject, notBefore, notAfter, key };
  return {
    certificate: encodePem({ label: 'CERTIFICATE', der: signCertificate(fields, key) }),
    key: encodePem({ label: 'PRIVATE KEY', der: key.export({ type: 'pkcs8', format: 'der' }) }),
  };
}
