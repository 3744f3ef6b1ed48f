/** Words that people who run Kubernetes and Proxmox do not know from their tools, and what to write instead. */
export interface Dialect {
  readonly word: RegExp;
  readonly instead: string;
  /** In comments and titles of tests as well; the other words are plain enough for those who read code. */
  readonly inCode?: true;
}

export const DIALECT: readonly Dialect[] = [
  {
    word: /\b(?:some|no)body\b/i,
    instead: 'say what happened: "it was changed", "no answer from ADDRESS"',
    inCode: true,
  },
  { word: /\banew\b/i, instead: 'reset, recreate, again', inCode: true },
  {
    word: /\bthe file (?:says|asks|names|gives|wins|wants|calls|puts|no longer)\b/i,
    instead: 'oxherd.yaml says, oxherd.yaml wins',
    inCode: true,
  },
  {
    word: /\b(?:in|into|from|out of|with) the file\b(?! system)(?!, )/i,
    instead: 'in oxherd.yaml',
    inCode: true,
  },
  { word: /\balready so\b/i, instead: 'unchanged', inCode: true },
  {
    word: /\b(?:lets?|letting) (?:it|them|[\w${}.-]+) go\b|\bis let (?:go|return)\b/i,
    instead: 'drain',
    inCode: true,
  },
  { word: /\bgo(?:es)? on\b(?! the\b)/i, instead: 'continue, resume, keep running' },
  { word: /\bby hand\b/i, instead: 'outside oxherd' },
  { word: /\b(?:takes?|took) hold\b/i, instead: 'take effect', inCode: true },
  { word: /\b(?:own|last) words\b/i, instead: 'message, last log lines' },
  { word: /\bmust stay\b/i, instead: 'refusing to disrupt' },
  { word: /\bcarr(?:y|ies|ied|ying) (?:it |them |the \w+ )?out\b/i, instead: 'apply, run, handle' },
  { word: /\bmends?\b/i, instead: 'fix', inCode: true },
  { word: /\basked for\b/i, instead: 'requested' },
  { word: /\bOS[- ]disks?\b/, instead: 'system disk', inCode: true },
  { word: /\bnotices?\b(?! only)/i, instead: 'note' },
  { word: /\b(?:is|are|be) not there\b/i, instead: 'missing, does not exist' },
  { word: /\bany more\b/i, instead: 'no longer' },
  { word: /\b[Bb]eg[iau]ns?\b/, instead: 'start' },
  { word: /\b(?:is|are|was|were|be) away\b/i, instead: 'unavailable, down' },
  { word: /\b(?:is|are) (?:well|ill)\b/i, instead: 'healthy, unhealthy' },
  { word: /\bhas no word for\b/i, instead: 'unmanaged option' },
  { word: /\b(?:our|ours)\b/i, instead: 'of this cluster, the API token' },
  { word: /\bcut[- ]off\b/i, instead: 'interrupted' },
  { word: /\b(?:set|put|sets|puts) (?:\w+ )?aside\b/i, instead: 'kept, detached' },
  { word: /\bthrow[ns]? away\b/i, instead: 'replace, delete' },
];

export function dialectIn(text: string, dialect: readonly Dialect[] = DIALECT): string[] {
  return dialect.flatMap(({ word, instead }) => {
    const found = word.exec(text);
    return found ? [`"${found[0]}": write ${instead}`] : [];
  });
}

/** Those that comments and titles of tests do without. */
export function dialectInCode(text: string): string[] {
  return dialectIn(
    text,
    DIALECT.filter(({ inCode }) => inCode),
  );
}
