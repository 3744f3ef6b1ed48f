import { clientFileCommand } from '../client-file-command.js';

export const run = clientFileCommand('kubeconfig');
