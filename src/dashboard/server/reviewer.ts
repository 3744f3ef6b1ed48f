/** Who is asking, where tokens of a Kubernetes API decide. */

export interface Viewer {
  /** Whether the cluster may be seen at all. */
  mayRead(cluster: string): Promise<boolean>;
}

export interface Reviewer {
  /** `undefined`: the API does not know the token. */
  viewerOf(token: string): Promise<Viewer | undefined>;
  /** What gives a token, for whoever has none. */
  readonly command: string;
}

/** Whoever has the tokens of the link sees everything. */
export const EVERYTHING: Viewer = { mayRead: () => Promise.resolve(true) };
