/** How `oxherd init` reaches a Proxmox: its address, the certificate that a person has seen, a token. */
import type { FoundSite } from '../../config/edit/found-site.js';
import { type Answers, QUESTIONS } from '../../config/edit/new-file-answers.js';
import { addToIPv4, parseCidr } from '../../model/address.js';
import { OxherdError } from '../../model/error.js';
import { answeringAddresses, discover, presentedCertificate } from '../../session/discover/discover.js';
import { tokenScript } from '../../session/discover/token-script.js';
import type { CliContext, CommandInput } from '../context.js';
import { rawStream } from '../views/terminal-text.js';
import type { Given } from './answers.js';

export interface Connected {
  readonly found?: FoundSite;
  readonly fingerprint?: string;
  /** Asked for on the way. */
  readonly answers: Given;
}

interface Asked {
  readonly flags: Given;
  readonly options: CommandInput['options'];
  readonly interactive: boolean;
}

const TOKEN = 'OXHERD_PROXMOX_TOKEN';
const LAB_ENDPOINT = 'https://pve1.lan:8006';

/** Nothing is found where there is no token and no terminal to ask for one; `undefined`: given up. */
export async function connectSite(context: CliContext, asked: Asked): Promise<Connected | undefined> {
  const { flags, options, interactive } = asked;
  if (context.globals.lab) {
    const endpoint = flags.endpoint ?? LAB_ENDPOINT;
    if (isComplete(flags)) return { answers: { endpoint } };
    return { found: await discover(context, { endpoint }), answers: { endpoint } };
  }
  const token = context.env[TOKEN];
  if (!interactive && (!token || !flags.endpoint || isComplete(flags))) return { answers: {} };
  const endpoint = flags.endpoint ?? (await askText(context, endpointQuestion()));
  if (endpoint === undefined) return undefined;
  const fingerprint = await trusted(context, endpoint, options.fingerprint, interactive);
  if (fingerprint === null) return undefined;
  const secret = token ?? (await askToken(context));
  if (secret === undefined) return undefined;
  const answers = { endpoint };
  if (secret === '') return { answers, ...(fingerprint !== undefined && { fingerprint }) };
  const env = { ...context.env, [TOKEN]: secret };
  const proxmox = { endpoint, ...(fingerprint !== undefined && { fingerprint }) };
  return { found: await discover({ ...context, env }, proxmox), answers, ...proxmox };
}

/** Flags for everything that could be found: then nothing is read. */
function isComplete({ name, hosts, subnet, gateway }: Given): boolean {
  return [name, hosts, subnet, gateway].every((value) => value !== undefined);
}

/** The fingerprint to pin; `undefined`: the system trusts the certificate; `null`: the person does not. */
async function trusted(
  context: CliContext,
  endpoint: string,
  given: unknown,
  interactive: boolean,
): Promise<string | undefined | null> {
  if (typeof given === 'string') return given;
  const { fingerprint, subject, issuer, trusted: known } = await presentedCertificate(endpoint);
  if (known) return undefined;
  if (!interactive) {
    throw new OxherdError('init.certificate', `${endpoint} presents a certificate that is not confirmed`, {
      advice: `compare it with Datacenter > HOST > Certificates, then: oxherd init --fingerprint ${fingerprint}`,
    });
  }
  const clack = await import('@clack/prompts');
  const answer = await clack.confirm({
    message: `${endpoint} presents the certificate of ${subject} (by ${issuer})\n${fingerprint}\nIs that your Proxmox? It is pinned then.`,
    initialValue: true,
    ...streams(context),
  });
  return answer === true ? fingerprint : null;
}

/** Empty: go on without one. */
async function askToken(context: CliContext): Promise<string | undefined> {
  context.stdout.write(
    `There is no ${TOKEN}. This script makes one; run it as root on a Proxmox host:\n\n${tokenScript()}\n`,
  );
  const clack = await import('@clack/prompts');
  const answer = await clack.password({
    message: 'Token (user@realm!name=secret; empty: continue without reading the Proxmox)',
    validate: (text = '') =>
      text === '' || /^[^\s@!]+@[^\s!]+![^\s=]+=\S+$/.test(text)
        ? undefined
        : 'not of the form user@realm!name=secret',
    ...streams(context),
  });
  if (clack.isCancel(answer)) return undefined;
  if (answer) context.stdout.write(`Keep it for later: export ${TOKEN}=…\n`);
  return answer ?? '';
}

function endpointQuestion() {
  const question = QUESTIONS.find(({ key }) => key === 'endpoint');
  if (!question) throw new Error('init asks for no endpoint');
  return question;
}

async function askText(
  context: CliContext,
  { message, example, problem }: (typeof QUESTIONS)[number],
): Promise<string | undefined> {
  const clack = await import('@clack/prompts');
  const answer = await clack.text({
    message,
    placeholder: example,
    validate: (text = '') => problem(text.trim(), {}),
    ...streams(context),
  });
  return clack.isCancel(answer) ? undefined : answer.trim();
}

function streams(context: CliContext) {
  return { input: context.stdin, output: rawStream(context.stdout), signal: context.signal };
}

const PROBED = 64;

/** Addresses that the new nodes could get and that something has already. */
export async function withProbes(
  context: CliContext,
  found: FoundSite,
  { subnet: text, vip }: Answers,
): Promise<FoundSite> {
  const subnet = parseCidr(text);
  if (!subnet || context.globals.lab) return found;
  const last = 2 ** (32 - subnet.prefix) - 2;
  const start = last > 2 * 40 ? 40 : 1;
  const candidates = Array.from({ length: Math.min(PROBED, last - start + 1) }, (_, at) =>
    addToIPv4(subnet.network, start + at),
  ).flatMap((ip) => ip ?? []);
  const answering = await answeringAddresses([...candidates, ...(vip ? [vip] : [])]);
  return { ...found, addresses: [...found.addresses, ...answering.filter((ip) => ip !== vip)] };
}
