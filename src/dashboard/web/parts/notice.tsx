import type { ComponentChildren } from 'preact';
import type { ErrorView } from '../../api.js';
import { Status } from './status.js';

export function Failure({ error }: { readonly error: ErrorView }) {
  return (
    <div class="notice failed" role="alert">
      <Status level="failed">{error.message}</Status>
      {error.advice !== undefined && error.advice !== '' && <p class="soft">{error.advice}</p>}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="soft" role="status">
      Reading {what} …
    </p>
  );
}

export function Card({
  title,
  children,
  aside,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly aside?: ComponentChildren;
}) {
  return (
    <section class="card">
      <div class="head">
        <h2 tabIndex={-1}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
