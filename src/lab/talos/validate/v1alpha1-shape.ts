import type { Shape } from './shape.js';

/** The v1alpha1 document with all its old fields, which the published schema of 1.14 leaves out. */

const strings: Shape = { list: 'string' };
const stringMap: Shape = { map: 'string' };
const keyPair: Shape = { keys: { crt: 'string', key: 'string' } };
const certificates: Shape = { list: { keys: { crt: 'string' } } };
const enabled: Shape = { keys: { enabled: 'bool' } };
const disabled: Shape = { keys: { disabled: 'bool' } };
const resources: Shape = { keys: { requests: 'any', limits: 'any' } };
const mounts: Shape = { list: { keys: { hostPath: 'string', mountPath: 'string', readonly: 'bool' } } };
const dhcpOptions: Shape = { keys: { routeMetric: 'int', ipv4: 'bool', ipv6: 'bool', duidv6: 'string' } };
const token: Shape = { keys: { apiToken: 'string' } };
const vip: Shape = { keys: { ip: 'string', equinixMetal: token, hcloud: token } };
const routes: Shape = {
  list: { keys: { network: 'string', gateway: 'string', source: 'string', metric: 'int', mtu: 'int' } },
};
const deviceSelector: Shape = {
  keys: {
    busPath: 'string',
    hardwareAddr: 'string',
    permanentAddr: 'string',
    pciID: 'string',
    driver: 'string',
    physical: 'bool',
  },
};

const bond: Shape = {
  keys: {
    interfaces: strings,
    deviceSelectors: { list: deviceSelector },
    arpIPTarget: strings,
    mode: 'string',
    xmitHashPolicy: 'string',
    lacpRate: 'string',
    adActorSystem: 'string',
    arpValidate: 'string',
    arpAllTargets: 'string',
    primary: 'string',
    primaryReselect: 'string',
    failOverMac: 'string',
    adSelect: 'string',
    miimon: 'int',
    updelay: 'int',
    downdelay: 'int',
    arpInterval: 'int',
    resendIgmp: 'int',
    minLinks: 'int',
    lpInterval: 'int',
    packetsPerSlave: 'int',
    numPeerNotif: 'int',
    tlbDynamicLb: 'int',
    allSlavesActive: 'int',
    useCarrier: 'bool',
    adActorSysPrio: 'int',
    adUserPortKey: 'int',
    peerNotifyDelay: 'int',
  },
};

const network: Shape = {
  keys: {
    hostname: 'string',
    interfaces: {
      list: {
        keys: {
          interface: 'string',
          deviceSelector,
          addresses: strings,
          cidr: 'string',
          routes,
          bond,
          bridge: { keys: { interfaces: strings, stp: enabled, vlan: { keys: { vlanFiltering: 'bool' } } } },
          bridgePort: { keys: { master: 'string' } },
          vlans: {
            list: {
              keys: {
                addresses: strings,
                cidr: 'string',
                routes,
                dhcp: 'bool',
                vlanId: 'int',
                mtu: 'int',
                vip,
                dhcpOptions,
              },
            },
          },
          mtu: 'int',
          dhcp: 'bool',
          ignore: 'bool',
          dummy: 'bool',
          dhcpOptions,
          wireguard: {
            keys: {
              privateKey: 'string',
              listenPort: 'int',
              firewallMark: 'int',
              peers: {
                list: {
                  keys: {
                    publicKey: 'string',
                    endpoint: 'string',
                    persistentKeepaliveInterval: 'duration',
                    allowedIPs: strings,
                  },
                },
              },
            },
          },
          vip,
        },
      },
    },
    nameservers: strings,
    searchDomains: strings,
    extraHostEntries: { list: { keys: { ip: 'string', aliases: strings } } },
    kubespan: {
      keys: {
        enabled: 'bool',
        advertiseKubernetesNetworks: 'bool',
        allowDownPeerBypass: 'bool',
        harvestExtraEndpoints: 'bool',
        mtu: 'int',
        filters: { keys: { endpoints: strings, excludeAdvertisedNetworks: strings } },
      },
    },
    disableSearchDomain: 'bool',
  },
};

const encryption: Shape = {
  keys: {
    provider: 'string',
    keys: {
      list: {
        keys: {
          static: { keys: { passphrase: 'string' } },
          nodeID: { keys: {} },
          kms: { keys: { endpoint: 'string' } },
          slot: 'int',
          tpm: { keys: { checkSecurebootStatusOnEnroll: 'bool' } },
        },
      },
    },
    cipher: 'string',
    keySize: 'int',
    blockSize: 'int',
    options: strings,
  },
};

const install: Shape = {
  keys: {
    disk: 'string',
    diskSelector: {
      keys: {
        size: 'disk-size',
        name: 'string',
        model: 'string',
        serial: 'string',
        modalias: 'string',
        uuid: 'string',
        wwid: 'string',
        type: 'disk-type',
        busPath: 'string',
      },
    },
    extraKernelArgs: strings,
    image: 'string',
    extensions: { list: { keys: { image: 'string' } } },
    bootloader: 'bool',
    wipe: 'bool',
    legacyBIOSSupport: 'bool',
    grubUseUKICmdline: 'bool',
  },
};

const machine: Shape = {
  keys: {
    type: 'string',
    token: 'string',
    ca: keyPair,
    acceptedCAs: certificates,
    certSANs: strings,
    controlPlane: { keys: { controllerManager: disabled, scheduler: disabled } },
    kubelet: {
      keys: {
        image: 'string',
        clusterDNS: strings,
        extraArgs: 'args',
        extraMounts: {
          list: {
            keys: {
              destination: 'string',
              type: 'string',
              source: 'string',
              options: strings,
              uidMappings: 'any',
              gidMappings: 'any',
            },
          },
        },
        extraConfig: 'any',
        credentialProviderConfig: 'any',
        defaultRuntimeSeccompProfileEnabled: 'bool',
        registerWithFQDN: 'bool',
        nodeIP: { keys: { validSubnets: strings } },
        skipNodeRegistration: 'bool',
        disableManifestsDirectory: 'bool',
      },
    },
    pods: { list: 'any' },
    network,
    disks: {
      list: {
        keys: { device: 'string', partitions: { list: { keys: { size: 'size', mountpoint: 'string' } } } },
      },
    },
    install,
    files: { list: { keys: { content: 'string', permissions: 'int', path: 'string', op: 'string' } } },
    env: stringMap,
    time: { keys: { disabled: 'bool', servers: strings, bootTimeout: 'duration' } },
    sysctls: stringMap,
    sysfs: stringMap,
    registries: {
      keys: {
        mirrors: { map: { keys: { endpoints: strings, overridePath: 'bool', skipFallback: 'bool' } } },
        config: {
          map: {
            keys: {
              tls: { keys: { clientIdentity: keyPair, ca: 'string', insecureSkipVerify: 'bool' } },
              auth: {
                keys: { username: 'string', password: 'string', auth: 'string', identityToken: 'string' },
              },
            },
          },
        },
      },
    },
    systemDiskEncryption: { keys: { state: encryption, ephemeral: encryption } },
    features: {
      keys: {
        rbac: 'bool',
        stableHostname: 'bool',
        kubernetesTalosAPIAccess: {
          keys: { enabled: 'bool', allowedRoles: strings, allowedKubernetesNamespaces: strings },
        },
        apidCheckExtKeyUsage: 'bool',
        diskQuotaSupport: 'bool',
        kubePrism: { keys: { enabled: 'bool', port: 'int' } },
        hostDNS: { keys: { enabled: 'bool', forwardKubeDNSToHost: 'bool', resolveMemberNames: 'bool' } },
        imageCache: { keys: { localEnabled: 'bool' } },
        nodeAddressSortAlgorithm: 'string',
      },
    },
    udev: { keys: { rules: strings } },
    logging: {
      keys: { destinations: { list: { keys: { endpoint: 'url', format: 'string', extraTags: stringMap } } } },
    },
    kernel: { keys: { modules: { list: { keys: { name: 'string', parameters: strings } } } } },
    seccompProfiles: { list: { keys: { name: 'string', value: 'any' } } },
    baseRuntimeSpecOverrides: 'any',
    nodeLabels: stringMap,
    nodeAnnotations: stringMap,
    nodeTaints: stringMap,
  },
};

const component = {
  image: 'string',
  extraArgs: 'args',
  extraVolumes: mounts,
  env: stringMap,
  resources,
} as const;

const cluster: Shape = {
  keys: {
    id: 'string',
    secret: 'string',
    controlPlane: { keys: { endpoint: 'url', localAPIServerPort: 'int' } },
    clusterName: 'string',
    network: {
      keys: {
        cni: {
          keys: {
            name: 'string',
            urls: strings,
            flannel: { keys: { extraArgs: strings, kubeNetworkPoliciesEnabled: 'bool' } },
          },
        },
        dnsDomain: 'string',
        podSubnets: strings,
        serviceSubnets: strings,
      },
    },
    token: 'string',
    aescbcEncryptionSecret: 'string',
    secretboxEncryptionSecret: 'string',
    ca: keyPair,
    acceptedCAs: certificates,
    aggregatorCA: keyPair,
    serviceAccount: { keys: { key: 'string' } },
    apiServer: {
      keys: {
        ...component,
        certSANs: strings,
        disablePodSecurityPolicy: 'bool',
        admissionControl: { list: { keys: { name: 'string', configuration: 'any' } } },
        auditPolicy: 'any',
        authorizationConfig: { list: { keys: { type: 'string', name: 'string', webhook: 'any' } } },
      },
    },
    controllerManager: { keys: component },
    proxy: { keys: { disabled: 'bool', image: 'string', mode: 'string', extraArgs: 'args' } },
    scheduler: { keys: { ...component, config: 'any' } },
    discovery: {
      keys: {
        enabled: 'bool',
        registries: {
          keys: { kubernetes: disabled, service: { keys: { disabled: 'bool', endpoint: 'string' } } },
        },
      },
    },
    etcd: {
      keys: {
        image: 'string',
        ca: keyPair,
        extraArgs: 'args',
        subnet: 'string',
        advertisedSubnets: strings,
        listenSubnets: strings,
      },
    },
    coreDNS: { keys: { disabled: 'bool', image: 'string' } },
    externalCloudProvider: { keys: { enabled: 'bool', manifests: strings } },
    extraManifests: strings,
    extraManifestHeaders: stringMap,
    inlineManifests: { list: { keys: { name: 'string', contents: 'string' } } },
    adminKubeconfig: { keys: { certLifetime: 'duration' } },
    allowSchedulingOnMasters: 'bool',
    allowSchedulingOnControlPlanes: 'bool',
  },
};

export const V1ALPHA1: Shape = {
  keys: { version: 'string', debug: 'bool', persist: 'bool', machine, cluster },
};
