/** What happens during a run, one event after another; views print them, the journal keeps them. */
export type RunEvent =
  | { readonly type: 'run-started'; readonly at: number; readonly runId: string; readonly steps: number }
  | {
      readonly type: 'step-started';
      readonly at: number;
      readonly step: string;
      readonly title: string;
      readonly node?: string;
    }
  | { readonly type: 'step-progress'; readonly at: number; readonly step: string; readonly message: string }
  | {
      readonly type: 'step-done';
      readonly at: number;
      readonly step: string;
      readonly ms: number;
      /** It was so already: an earlier run had done it. */
      readonly already: boolean;
      readonly warnings: readonly string[];
    }
  | {
      readonly type: 'step-failed';
      readonly at: number;
      readonly step: string;
      readonly ms: number;
      readonly error: { readonly code: string; readonly message: string; readonly advice?: string };
    }
  | {
      /** From here on the node does not work: it is drained, restarting, or gone. */
      readonly type: 'node-away';
      readonly at: number;
      readonly node: string;
      readonly reason: string;
    }
  | {
      /** It is Ready again and takes pods. */
      readonly type: 'node-back';
      readonly at: number;
      readonly node: string;
      readonly reason: string;
    }
  | { readonly type: 'run-ended'; readonly at: number; readonly ms: number; readonly result: RunResult };

export interface RunResult {
  readonly outcome: 'done' | 'failed' | 'interrupted';
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly notStarted: readonly string[];
}
