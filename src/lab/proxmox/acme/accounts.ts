/** Accounts at an ACME authority (pve-manager, PVE/API2/ACMEAccount.pm). No authority is asked: it agrees at once. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { splitList } from '../validation/formats.js';

const PATH = '/cluster/acme/account';
const DIRECTORIES = [
  { name: "Let's Encrypt V2", url: 'https://acme-v02.api.letsencrypt.org/directory' },
  { name: "Let's Encrypt V2 Staging", url: 'https://acme-staging-v02.api.letsencrypt.org/directory' },
] as const;
/** A key of 4,096 bits, and two requests. */
const REGISTRATION_MS = 3000;

export interface AcmeAccount {
  readonly contact: readonly string[];
  readonly createdAt: string;
  readonly directory: string;
  readonly location: string;
  readonly tos?: string;
  readonly status: 'valid' | 'deactivated';
}

interface Registration {
  readonly name: string;
  readonly contact: readonly string[];
  readonly directory: string;
  readonly tos?: string;
}

interface Change {
  readonly name: string;
  readonly contact?: readonly string[];
  readonly deactivate?: boolean;
}

export const acmeAccountHandlers: Handlers = {
  'GET /cluster/acme': () =>
    ['account', 'tos', 'meta', 'directories', 'plugins', 'challenge-schema'].map((name) => ({ name })),
  'GET /cluster/acme/directories': () => DIRECTORIES,
  'GET /cluster/acme/tos': () => null,
  // What was deactivated keeps its file, under a name that no account can have.
  [`GET ${PATH}`]: ({ pve }) =>
    [...pve.db.acmeAccounts.entries()]
      .filter(([, { status }]) => status === 'valid')
      .map(([name]) => ({ name })),
  [`POST ${PATH}`]: register,
  [`GET ${PATH}/{name}`]: (call) => {
    const { contact, createdAt, status, directory, location, tos } = requireAccount(call);
    return { account: { contact, createdAt, status }, directory, location, ...(tos && { tos }) };
  },
  [`PUT ${PATH}/{name}`]: (call) => {
    const contact = contactsOf(call);
    return contact.length > 0 ? change(call, 'acmeupdate', { contact }) : change(call, 'acmerefresh', {});
  },
  [`DELETE ${PATH}/{name}`]: (call) => change(call, 'acmedeactivate', { deactivate: true }),
};

export function defineAcmeTasks(pve: Pve): void {
  const { acmeAccounts } = pve.db;
  pve.tasks.define<Registration>('acmeregister', ({ name, ...account }, task) => {
    if (acmeAccounts.has(name)) throw new PveError(500, `ACME account config file '${name}' already exists.`);
    task.log('Generating ACME account key..');
    task.log('Registering ACME account..');
    const location = new URL(`/acme/acct/${1 + acmeAccounts.size}`, account.directory).href;
    const createdAt = new Date(pve.core.clock.now()).toISOString();
    acmeAccounts.put(name, { ...account, createdAt, location, status: 'valid' });
    task.log(`Registration successful, account URL: '${location}'`);
  });
  for (const type of ['acmeupdate', 'acmerefresh', 'acmedeactivate']) {
    pve.tasks.define<Change>(type, ({ name, contact, deactivate }, task) => {
      const account = acmeAccounts.get(name);
      if (!account) throw new PveError(500, `ACME account config file '${name}' does not exist.`);
      if (!deactivate) {
        acmeAccounts.put(name, { ...account, ...(contact && { contact }) });
        return;
      }
      const kept = deactivatedName(pve, name);
      const file = (one: string) => `/etc/pve/priv/acme/${one}`;
      task.log(`Renaming account file from '${file(name)}' to '${file(kept)}'`);
      acmeAccounts.put(kept, { ...account, status: 'deactivated' });
      acmeAccounts.delete(name);
    });
  }
}

function deactivatedName({ db }: Pve, name: string): string {
  for (let number = 0; ; number += 1) {
    const candidate = `_deactivated_${name}_${number}`;
    if (!db.acmeAccounts.has(candidate)) return candidate;
  }
}

const accountName = (call: Call) => call.text('name') ?? 'default';
const contactsOf = (call: Call) =>
  splitList(call.text('contact') ?? '').map((address) => `mailto:${address}`);

function requireAccount(call: Call): AcmeAccount {
  const account = call.pve.db.acmeAccounts.get(accountName(call));
  if (!account) {
    throw PveError.parameter({ name: `ACME account config file '${accountName(call)}' does not exist.` });
  }
  return account;
}

function register(call: Call): unknown {
  const name = accountName(call);
  if (call.pve.db.acmeAccounts.has(name)) {
    throw PveError.parameter({ name: `ACME account config file '${name}' already exists.` });
  }
  const tos = call.text('tos_url');
  const directory = call.text('directory') ?? DIRECTORIES[0].url;
  const args: Registration = { name, contact: contactsOf(call), directory, ...(tos && { tos }) };
  return start(call, 'acmeregister', args);
}

function change(call: Call, type: string, what: Omit<Change, 'name'>): unknown {
  requireAccount(call);
  return start(call, type, { name: accountName(call), ...what });
}

function start(call: Call, type: string, args: Registration | Change): unknown {
  return call.pve.tasks.start(call, { node: call.host, type, id: '', args, duration: REGISTRATION_MS });
}
