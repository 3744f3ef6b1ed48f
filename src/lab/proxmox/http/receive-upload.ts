/** A request that brings a file: rights are looked at before its body, and errors before the API have no JSON. */
import type { IncomingMessage } from 'node:http';
import type { Sender } from '../access/authenticate.js';
import { Rights } from '../access/rights.js';
import { dropUpload, keepUpload } from '../storage/upload.js';
import { type Answer, emptyAnswer, plainAnswer } from './answer.js';
import { dispatch, type PveRequest, type Site } from './dispatch.js';
import { boundaryOf, readUpload } from './multipart.js';
import { requestFields } from './request-parameters.js';

const PATH = /^\/nodes\/[^/]+\/storage\/([^/]+)\/upload$/;

/** Without a body it is a request like others. */
export function isUpload({ method, path, headers }: PveRequest): boolean {
  return method === 'POST' && PATH.test(path) && Number(headers['content-length'] ?? 0) > 0;
}

export async function upload(
  site: Site,
  request: PveRequest,
  sender: Sender,
  message: IncomingMessage,
): Promise<Answer> {
  const place = `/storage/${PATH.exec(request.path)?.[1]}`;
  if (sender.id !== 'root@pam' && !new Rights(site.pve.db).privileges(sender.id, place).has(NEEDED)) {
    return emptyAnswer(403, `Permission check failed (${place}, ${NEEDED})`);
  }
  const type = request.headers['content-type'];
  const boundary = boundaryOf(type);
  if (boundary === undefined) return plainAnswer(506, `upload 'Content-Type '${type}' not implemented`);
  const read = await readUpload(message, boundary);
  if (read === 'unknown field') return emptyAnswer(400, 'Bad Request');
  if (read === 'no file') {
    return plainAnswer(500, 'upload failed at /usr/share/perl5/PVE/APIServer/AnyEvent.pm line 1370.\n');
  }
  const tmpfilename = keepUpload(site.pve, read.file);
  const query = requestFields({ method: 'GET', query: request.query, contentType: undefined, body: '' });
  try {
    return await dispatch(site, request, sender, { ...query, ...read.fields, tmpfilename });
  } finally {
    dropUpload(site.pve, tmpfilename);
  }
}

const NEEDED = 'Datastore.AllocateTemplate';
