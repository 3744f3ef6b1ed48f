/** Words that several sections of the config use. */

export type Role = 'controlplane' | 'worker';
export type Layout = 'data-vm' | 'single';
export type Boot = 'image' | 'iso';

/** Where a secret is, never the secret. */
export type SecretRef =
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'sops'; readonly path: string; readonly key: readonly string[] }
  /** A variable of a Terraform variable file. */
  | { readonly kind: 'tfvars'; readonly path: string; readonly variable: string };

/** YAML given by the user that goes on as it is. */
export type Fragment = Readonly<Record<string, unknown>>;

/** A file that the config names, read while loading. */
export interface FileText {
  readonly path: string;
  readonly text: string;
}
