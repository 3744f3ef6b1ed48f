import type { Random } from '../../lab.js';
import type { EtcdClusterRecord, EtcdMemberRecord, TalosDb } from '../machine/machine-record.js';

/**
 * etcd as a model. A record is what a majority of the members has agreed on; without a running majority nothing can be
 * changed, and when the data of a majority is gone it stays so: lost is lost.
 */
export class EtcdModel {
  constructor(
    private readonly db: TalosDb,
    private readonly random: Random,
    /** Whether a process with this member's data runs now. */
    private readonly runs: (clusterId: string, memberId: string) => boolean,
  ) {}

  get(clusterId: string): EtcdClusterRecord | undefined {
    return this.db.etcd.get(clusterId);
  }

  /** A cluster of one: what Bootstrap makes, empty or at the revision of a snapshot. Its id is new in any case. */
  create(owner: string, name: string, ip: string, revision = 1): { clusterId: string; memberId: string } {
    const clusterId = this.#id();
    const memberId = this.#id();
    this.db.etcd.put(clusterId, {
      id: clusterId,
      owner,
      members: [{ id: memberId, name, ip, learner: false }],
      leader: memberId,
      term: 2,
      index: 10,
      revision,
      alarms: [],
    });
    return { clusterId, memberId };
  }

  hasQuorum(cluster: EtcdClusterRecord): boolean {
    const voters = cluster.members.filter((member) => !member.learner);
    const up = voters.filter((member) => this.runs(cluster.id, member.id));
    return voters.length > 0 && up.length > voters.length / 2;
  }

  /** The leader now: kept while it runs, else the next voter, with a new term; none without quorum. */
  leader(clusterId: string): string | undefined {
    const cluster = this.get(clusterId);
    if (!cluster || !this.hasQuorum(cluster)) return undefined;
    const canLead = (member: EtcdMemberRecord) => !member.learner && this.runs(clusterId, member.id);
    const current = cluster.members.find((member) => member.id === cluster.leader);
    if (current && canLead(current)) return current.id;
    const next = cluster.members.find(canLead);
    if (!next) return undefined;
    this.#change(clusterId, (old) => ({ ...old, leader: next.id, term: old.term + 1, index: old.index + 1 }));
    return next.id;
  }

  /** Joins as a learner. A member of the same name is replaced: Talos removes it itself when its own data is empty. */
  addLearner(clusterId: string, name: string, ip: string): string {
    const id = this.#id();
    this.#change(clusterId, (old) => ({
      ...written(old),
      members: [...old.members.filter((member) => member.name !== name), { id, name, ip, learner: true }],
    }));
    return id;
  }

  promote(clusterId: string, memberId: string): void {
    this.#change(clusterId, (old) => ({
      ...written(old),
      members: old.members.map((member) => (member.id === memberId ? { ...member, learner: false } : member)),
    }));
  }

  remove(clusterId: string, memberId: string): void {
    this.#change(clusterId, (old) => ({
      ...written(old),
      members: old.members.filter((member) => member.id !== memberId),
      alarms: old.alarms.filter((alarm) => alarm.memberId !== memberId),
    }));
  }

  /** `undefined`: there is no other voter to lead. */
  forfeit(clusterId: string): string | undefined {
    const leader = this.leader(clusterId);
    const next = this.get(clusterId)?.members.find(
      (member) => !member.learner && member.id !== leader && this.runs(clusterId, member.id),
    );
    if (!next) return undefined;
    this.#change(clusterId, (old) => ({ ...old, leader: next.id, term: old.term + 1, index: old.index + 1 }));
    return next.id;
  }

  /** Someone wrote (an object of Kubernetes): the revision goes on. `false`: no quorum, nothing was written. */
  write(clusterId: string, changes = 1): boolean {
    const cluster = this.get(clusterId);
    if (!cluster || !this.hasQuorum(cluster)) return false;
    this.#change(clusterId, (old) => ({
      ...old,
      revision: old.revision + changes,
      index: old.index + changes,
    }));
    return true;
  }

  /** A member's address follows its machine's. */
  rename(clusterId: string, memberId: string, name: string, ip: string): void {
    const member = this.get(clusterId)?.members.find((one) => one.id === memberId);
    if (!member || (member.name === name && member.ip === ip)) return;
    this.#change(clusterId, (old) => ({
      ...old,
      members: old.members.map((one) => (one.id === memberId ? { ...one, name, ip } : one)),
    }));
  }

  setAlarms(clusterId: string, alarms: EtcdClusterRecord['alarms']): void {
    this.#change(clusterId, (old) => ({ ...old, alarms }));
  }

  noteSnapshot(clusterId: string, snapshotAt: number): void {
    this.#change(clusterId, (old) => ({ ...old, snapshotAt }));
  }

  #change(clusterId: string, change: (old: EtcdClusterRecord) => EtcdClusterRecord): void {
    this.db.etcd.update(clusterId, change);
  }

  /** 64 bits, never 0. */
  #id(): string {
    return BigInt(`0x${this.random.hex(15)}1`).toString();
  }
}

function written(old: EtcdClusterRecord): EtcdClusterRecord {
  return { ...old, index: old.index + 1, revision: old.revision + 1 };
}
