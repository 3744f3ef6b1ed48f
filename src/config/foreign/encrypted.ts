/** Files that are encrypted as a whole or value by value: what stands in them is never taken for a value. */

interface Encryption {
  readonly tool: string;
  /** Its command that writes the plain text. */
  readonly decrypt: string;
  readonly mark: RegExp;
}

const ENCRYPTIONS: readonly Encryption[] = [
  { tool: 'SOPS', decrypt: 'sops decrypt', mark: /ENC\[AES256_GCM,/ },
  {
    tool: 'age',
    decrypt: 'age --decrypt',
    mark: /^(?:-----BEGIN AGE ENCRYPTED FILE-----|age-encryption\.org\/v1)/,
  },
  { tool: 'Ansible Vault', decrypt: 'ansible-vault view', mark: /^\$ANSIBLE_VAULT;/ },
  { tool: 'git-crypt', decrypt: 'git-crypt unlock, then read', mark: /^\0GITCRYPT/ },
  { tool: 'GnuPG', decrypt: 'gpg --decrypt', mark: /^-----BEGIN PGP MESSAGE-----/ },
];

interface EncryptedText {
  readonly code: 'config.encrypted';
  readonly message: string;
  readonly hint: string;
  readonly offset: number;
}

/** The problem with such a text, and where it begins. */
export function encryptedText(file: string, text: string): EncryptedText | undefined {
  for (const { tool, decrypt, mark } of ENCRYPTIONS) {
    const offset = text.search(mark);
    if (offset < 0) continue;
    return {
      code: 'config.encrypted',
      message: `the file is encrypted with ${tool}`,
      hint: `decrypt it first: \`${decrypt} ${file}\`. A config holds no secret, only where one is: \`proxmox.token\` may be \`env:NAME\`, \`file:PATH\` or \`sops:FILE#key\``,
      offset,
    };
  }
  return undefined;
}
