/** The version that the recordings come from. */
export const VERSION = { release: '9.2', repoid: '14a22df3', version: '9.2.11' } as const;
