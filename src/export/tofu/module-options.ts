export interface ModuleOptions {
  /** For a living cluster: drives are left as they are found. */
  readonly adopts: boolean;
}
