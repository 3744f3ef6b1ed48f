import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { stringify } from 'yaml';
import { type Resource, ResourceSchema } from '../../../clients/talos/gen/cosi/resource/resource_pb.js';
import type { Machine } from '../machine/machine.js';
import { protoSpec } from './proto-spec.js';
import { type ResourceSpec, resourcesOf } from './specs.js';

export interface Change {
  readonly kind: 'created' | 'updated' | 'destroyed';
  readonly resource: Resource;
  readonly old?: Resource;
}

/**
 * Gives the computed resources of one machine what an observer needs: versions that go up when the content changes,
 * and the times of it. Nothing of it survives a boot, as on the real machine.
 */
export class ResourceState {
  readonly #seen = new Map<string, Resource>();

  constructor(private readonly machine: Machine) {}

  list(namespace: string, type: string): Resource[] {
    return resourcesOf(this.machine, type)
      .filter((spec) => spec.namespace === namespace)
      .map((spec) => this.#versioned(spec));
  }

  get(namespace: string, type: string, id: string): Resource | undefined {
    return this.list(namespace, type).find((resource) => resource.metadata?.id === id);
  }

  /** What is different now from what an observer saw last. */
  changes(namespace: string, type: string, before: Map<string, Resource>): Change[] {
    const now = new Map(
      this.list(namespace, type).map((resource) => [resource.metadata?.id ?? '', resource]),
    );
    const changes: Change[] = [];
    for (const [id, resource] of now) {
      const old = before.get(id);
      if (!old) changes.push({ kind: 'created', resource });
      else if (old.metadata?.version !== resource.metadata?.version)
        changes.push({ kind: 'updated', resource, old });
      before.set(id, resource);
    }
    for (const [id, resource] of [...before]) {
      if (now.has(id)) continue;
      before.delete(id);
      changes.push({ kind: 'destroyed', resource });
    }
    return changes;
  }

  #versioned(spec: ResourceSpec): Resource {
    const key = `${spec.type}/${spec.id}`;
    const yamlSpec = goYaml(spec.spec);
    const seen = this.#seen.get(key);
    if (seen?.spec?.yamlSpec === yamlSpec) return seen;
    const now = timestampFromMs(this.machine.room.core.clock.now());
    const encoded = protoSpec(spec.type, spec.spec);
    const resource = create(ResourceSchema, {
      metadata: {
        namespace: spec.namespace,
        type: spec.type,
        id: spec.id,
        version: String(Number(seen?.metadata?.version ?? 0) + 1),
        owner: spec.owner ?? '',
        phase: 'running',
        created: seen?.metadata?.created ?? now,
        updated: now,
        ...(spec.annotations ? { annotations: { ...spec.annotations } } : {}),
      },
      spec: { yamlSpec, ...(encoded ? { protoSpec: encoded } : {}) },
    });
    this.#seen.set(key, resource);
    return resource;
  }
}

/** YAML as Go writes it: four columns, list items indented. A machine config is one text (`v1alpha1Spec.MarshalYAML`). */
function goYaml(spec: unknown): string {
  // Most of what is asked again and again has not changed.
  const id = JSON.stringify(spec) ?? '';
  const known = written.get(id);
  if (known !== undefined) return known;
  const text = stringify(spec, { indent: 4, lineWidth: 0, compat: 'yaml-1.1' });
  if (written.size >= MOST_WRITTEN) written.clear();
  written.set(id, text);
  return text;
}

const written = new Map<string, string>();
const MOST_WRITTEN = 2_000;
