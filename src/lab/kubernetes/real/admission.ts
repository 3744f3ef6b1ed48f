import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterDescription } from '../feed.js';

/** The machine config's `apiServer.admissionControl`, written as Talos writes it for the API server. */
export function admissionFlags(folder: string, { admissionControl = [] }: ClusterDescription): string[] {
  if (admissionControl.length === 0) return [];
  const file = join(folder, 'admission.json');
  const plugins = admissionControl.map(({ name, configuration }) => ({ name, configuration }));
  const content = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins };
  writeFileSync(file, JSON.stringify(content));
  return [`--admission-control-config-file=${file}`];
}
