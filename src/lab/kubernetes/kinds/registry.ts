import type { ObjectStore } from '../storage/object-store.js';
import { BUILT_IN_TYPES } from './built-in-kinds.js';
import { definedTypes, isEstablished } from './definition.js';
import { apiVersionOf, type ResourceType } from './resource-type.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** All resources the server has now: the built-in ones and what established definitions bring. */
export class Registry {
  #custom: { revision: number; types: ResourceType[] } = { revision: -1, types: [] };
  #changed = true;

  constructor(private readonly objects: ObjectStore) {
    objects.subscribe((change) => {
      if (change.resource === DEFINITIONS) this.#changed = true;
    });
  }

  types(): readonly ResourceType[] {
    if (this.#changed) {
      const definitions = this.objects.list(DEFINITIONS).filter(isEstablished);
      this.#custom = { revision: this.objects.revision, types: definitions.flatMap(definedTypes) };
      this.#changed = false;
    }
    return [...BUILT_IN_TYPES, ...this.#custom.types];
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.types().find((t) => t.plural === plural && t.group === group && t.version === version);
  }

  ofKind(apiVersion: string, kind: string): ResourceType | undefined {
    return this.types().find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
  }

  /** By store key: `pods`, `deployments.apps`. */
  byKey(key: string): ResourceType | undefined {
    const [plural = '', ...group] = key.split('.');
    return this.types().find((type) => type.plural === plural && type.group === group.join('.'));
  }

  /** Group names in the order of discovery; the core group is not among them. */
  groups(): string[] {
    return [...new Set(this.types().map((type) => type.group))].filter((group) => group !== '');
  }

  versions(group: string): string[] {
    return [
      ...new Set(
        this.types()
          .filter((t) => t.group === group)
          .map((t) => t.version),
      ),
    ];
  }

  in(group: string, version: string): ResourceType[] {
    return this.types().filter((type) => type.group === group && type.version === version);
  }
}
