import type { ConfigDocument } from '../config/config-document.js';

export interface DocumentFindings {
  readonly errors: string[];
  readonly warnings: string[];
}

/** What is wrong with one document by itself. */
export type DocumentRule = (document: ConfigDocument) => Partial<DocumentFindings>;
