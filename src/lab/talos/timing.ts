/** How long things take, in lab milliseconds: a small VM on SSD storage. */
export const TIMING = {
  /** Firmware, boot loader, kernel, until apid listens. */
  boot: 20_000,
  /** A new config: from maintenance mode to a server that demands certificates. */
  configApplied: 5_000,
  /** The installer writes the disk. */
  install: 40_000,
  /** Services stop, volumes are unmounted. */
  stop: 8_000,
  /** How long Talos tries to drain its node when it is shut down. */
  drain: 300_000,
  cri: 4_000,
  kubelet: 8_000,
  /** With other arguments or another image it is stopped, and started again. */
  kubeletRestart: 4_000,
  etcd: 6_000,
  /** A learner has caught up. */
  etcdCaughtUp: 10_000,
  controlPlane: 15_000,
  /** The API server's pod is replaced: its arguments changed. */
  staticPod: 6_000,
  imagePull: 10_000,
  /** Until a connection that nothing answers is given up. */
  dialTimeout: 30_000,
  timeQuery: 5_000,
  upgrade: 25_000,
  wipe: 10_000,
  tryMode: 60_000,
} as const;
