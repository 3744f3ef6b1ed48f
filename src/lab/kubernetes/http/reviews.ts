import type { KubeApi } from '../api/kube-api.js';
import type { WriteOptions } from '../api/options.js';
import { at, isObj, listOf, numberOf, type Obj, objOf, textOf } from '../json.js';
import { apiVersionOf, type ResourceType } from '../kinds/resource-type.js';
import { timeText } from '../object.js';
import { builtInSchema } from '../schema/built-in.js';
import { badRequest, type FieldError, invalid, invalidValue, notFound } from '../status.js';
import { tokenUser, type User } from './authenticate.js';
import { decide, type Question, rulesOf } from './authorize.js';
import type { Server } from './server.js';
import { ISSUER } from './tokens.js';

/** Kinds that are questions: what is created is answered and not kept. */
export function reviewAnswer(
  server: Server,
  type: ResourceType,
  namespace: string | undefined,
  body: Obj,
  user: User,
  options: WriteOptions,
): Obj | undefined {
  const spec = objOf(body.spec);
  const asked = { kind: type.kind, apiVersion: apiVersionOf(type), spec };
  const owners = server.api.ownersOf(type, asked, '', options);
  const place = namespace === undefined ? {} : { namespace };
  const metadata = { ...place, ...(owners.length > 0 ? { managedFields: owners } : {}) };
  const answer = (status: Obj) => ({ ...asked, metadata, status });
  switch (`${type.group}/${type.kind}`) {
    case 'authorization.k8s.io/SelfSubjectAccessReview':
      checkAttributes(spec);
      return answer(access(server.api, user, spec));
    case 'authorization.k8s.io/SubjectAccessReview':
    case 'authorization.k8s.io/LocalSubjectAccessReview':
      checkAttributes(spec);
      checkSubject(spec, namespace);
      return answer(access(server.api, subjectOf(spec), spec));
    case 'authorization.k8s.io/SelfSubjectRulesReview':
      return { ...answer(rules(server.api, user, textOf(spec.namespace))), metadata: {}, spec: {} };
    case 'authentication.k8s.io/SelfSubjectReview': {
      const { spec: _, ...shown } = answer({ userInfo: userInfo(user) });
      return { ...shown, metadata: { creationTimestamp: timeText(server.api.now) } };
    }
    case 'authentication.k8s.io/TokenReview':
      return answer(tokenReview(server, spec));
    default:
      return undefined;
  }
}

function userInfo({ name, uid, groups, extra }: User): Obj {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra ? { extra } : {}),
  };
}

/** Such reviews have no name, and errors about them no kind. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid('authorization.k8s.io', '', '', errors);
}

function checkAttributes(spec: Obj): void {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isObj(resourceAttributes) !== isObj(nonResourceAttributes)) return;
  const { path, verb } = objOf(nonResourceAttributes);
  const shown = isObj(nonResourceAttributes) ? { Path: textOf(path), Verb: textOf(verb) } : null;
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  refuse([invalidValue('spec', shown, detail)]);
}

function checkSubject(spec: Obj, namespace: string | undefined): void {
  const errors: FieldError[] = [];
  if (textOf(spec.user) === '' && listOf(spec.groups).length === 0) {
    errors.push(invalidValue('spec.user', '', 'at least one of user or group must be specified'));
  }
  const asked = textOf(objOf(spec.resourceAttributes).namespace);
  if (namespace !== undefined && asked !== namespace) {
    errors.push(invalidValue('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  refuse(errors);
}

function subjectOf(spec: Obj): User {
  return { name: textOf(spec.user), groups: listOf(spec.groups).map(textOf) };
}

function questionOf(spec: Obj): Question {
  if (isObj(spec.nonResourceAttributes)) {
    const { path, verb } = spec.nonResourceAttributes;
    return { path: textOf(path), verb: textOf(verb) };
  }
  const asked = objOf(spec.resourceAttributes);
  const text = (field: string) => textOf(asked[field]) || undefined;
  return {
    verb: textOf(asked.verb),
    group: textOf(asked.group),
    plural: textOf(asked.resource),
    subresource: textOf(asked.subresource),
    name: text('name'),
    namespace: text('namespace'),
  };
}

function access(api: KubeApi, user: User, spec: Obj): Obj {
  const { allowed, reason } = decide(user, questionOf(spec), api.objects);
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function rules(api: KubeApi, user: User, namespace: string): Obj {
  if (namespace === '') throw badRequest('no namespace on request');
  const all = rulesOf(user, namespace, api.objects).map(({ rule }) => rule);
  const shown = (fields: readonly string[]) => (rule: Obj) =>
    Object.fromEntries(
      fields.filter((field) => rule[field] !== undefined).map((field) => [field, rule[field]]),
    );
  return {
    resourceRules: all
      .filter((rule) => listOf(rule.resources).length > 0)
      .map(shown(['verbs', 'apiGroups', 'resources', 'resourceNames'])),
    nonResourceRules: all
      .filter((rule) => listOf(rule.nonResourceURLs).length > 0)
      .map(shown(['verbs', 'nonResourceURLs'])),
    incomplete: false,
  };
}

function tokenReview(server: Server, spec: Obj): Obj {
  const token = textOf(spec.token);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const audiences = listOf(spec.audiences).map(textOf);
  const audience = audiences[0] ?? ISSUER;
  const user = tokenUser(server, token, audience);
  if (!user) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfo(user), audiences: [audience] };
}

/** A token lives and dies with a pod, a secret or a node. */
function checkBound({ kind, apiVersion }: Obj): void {
  if (kind === undefined || ['Pod', 'Secret', 'Node'].includes(textOf(kind))) return;
  const [version = '', group = ''] = textOf(apiVersion).split('/').reverse();
  throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${textOf(kind)}`);
}

const TOKEN_REQUEST: ResourceType = {
  plural: 'tokenrequests',
  singular: 'tokenrequest',
  listKind: '',
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ['create'],
  subresources: [],
  rules: {},
  custom: undefined,
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  schema: builtInSchema('authentication.TokenRequest'),
};

const TEN_MINUTES = 600;

/** `serviceaccounts/x/token`: a token for the account, for as long as asked. */
export function tokenRequest(
  server: Server,
  namespace: string,
  name: string,
  body: unknown,
  id: string,
  options: WriteOptions,
): Obj {
  const { api, accountTokens } = server;
  const account = api.find('serviceaccounts', namespace, name);
  if (!account) throw notFound({ group: '', plural: 'serviceaccounts' }, name);
  const spec = objOf(at(body, 'spec'));
  const lasts = numberOf(spec.expirationSeconds, 3600);
  if (lasts < TEN_MINUTES || lasts > 2 ** 32) {
    const detail =
      lasts < TEN_MINUTES
        ? 'may not specify a duration less than 10 minutes'
        : 'may not specify a duration larger than 2^32 seconds';
    throw invalid('authentication.k8s.io', 'TokenRequest', '', [
      invalidValue('spec.expirationSeconds', lasts, detail),
    ]);
  }
  const bound = objOf(spec.boundObjectRef);
  checkBound(bound);
  const resource = textOf(bound.kind) === 'Node' ? 'nodes' : `${textOf(bound.kind).toLowerCase()}s`;
  const place = resource === 'nodes' ? undefined : namespace;
  if (isObj(spec.boundObjectRef) && !api.find(resource, place, textOf(bound.name))) {
    throw notFound({ group: '', plural: resource }, textOf(bound.name));
  }
  const given = listOf(spec.audiences).map(textOf);
  const audiences = given.length > 0 ? given : [ISSUER];
  const uid = textOf(account.metadata.uid);
  const expires = api.now + lasts * 1000;
  const token = accountTokens.issue({
    namespace,
    account: name,
    uid,
    audiences,
    issued: api.now,
    expires,
    id,
  });
  const asked = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    spec: { ...spec, expirationSeconds: lasts },
  };
  const managedFields = api.ownersOf(TOKEN_REQUEST, asked, 'token', options);
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: timeText(api.now), managedFields },
    spec: { audiences, expirationSeconds: lasts, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timeText(expires) },
  };
}
