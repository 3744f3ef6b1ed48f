/** When certificates end that someone would miss: the clients' files and the authorities. */
import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { readYaml, YamlTextError } from '../../formats/text/yaml-text.js';
import type { CertificateTerm } from '../../health/certificates.js';
import { fromBase64Pem } from '../../secrets/pem.js';
import { readIfThere } from '../../secrets/private-file.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import type { SessionContext } from '../context.js';
import { clientFilePaths } from './secrets-files.js';

const ROTATE = 'oxherd secrets rotate-admin';

export async function certificateTerms(
  context: SessionContext,
  config: Config,
  secrets: TalosSecrets | undefined,
): Promise<CertificateTerm[]> {
  const paths = clientFilePaths(context, config);
  const [talosconfig, kubeconfig] = await Promise.all([
    readIfThere(paths.talosconfig),
    readIfThere(paths.kubeconfig),
  ]);
  const authorities = secrets
    ? ([
        ['Talos CA', secrets.certs.os.crt],
        ['Kubernetes CA', secrets.certs.k8s.crt],
        ['etcd CA', secrets.certs.etcd.crt],
      ] as const)
    : [];
  return [
    ...term('talosconfig', talosconfig && certificateIn(talosconfig, /^crt$/), ROTATE),
    ...term('kubeconfig', kubeconfig && certificateIn(kubeconfig, /^client-certificate-data$/), ROTATE),
    ...authorities.flatMap(([name, crt]) =>
      term(
        name,
        crt,
        'replace it with `talosctl rotate-ca`, then take the new one in: oxherd secrets import --from-node ADDRESS',
      ),
    ),
  ];
}

function term(name: string, crt: string | undefined, renew: string): CertificateTerm[] {
  if (!crt) return [];
  return [{ name, notAfter: Date.parse(new X509Certificate(fromBase64Pem(crt)).validTo), renew }];
}

/** The first value below a key of that name, wherever it stands. */
function certificateIn(text: string, key: RegExp): string | undefined {
  const search = (value: unknown): string | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, item] of Object.entries(value)) {
      if (key.test(name) && typeof item === 'string') return item;
      const found = search(item);
      if (found) return found;
    }
    return undefined;
  };
  try {
    return search(readYaml(text));
  } catch (error) {
    // Whoever writes to such a file is told of it; here it has no certificate.
    if (error instanceof YamlTextError) return undefined;
    throw error;
  }
}
