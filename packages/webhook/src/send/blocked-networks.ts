import { BlockList, isIP } from 'node:net';

/** Which networks an endpoint may be in, beside the public internet. */
export interface NetworkPolicy {
  /** 127.0.0.0/8 and ::1: parent and detector on one host. Default false. */
  readonly allowLoopback?: boolean;
  /** CIDR blocks of the operator's own network, as `10.0.0.0/8` or `fd00::/8`. Default none. */
  readonly allowPrivate?: readonly string[];
}

type Family = 'ipv4' | 'ipv6';

const loopback: readonly string[] = ['127.0.0.0/8', '::1/128'];

// Everything IANA lists as not globally reachable. An address that embeds an IPv4 one (mapped, NAT64, 6to4, Teredo)
// would be a detour around the rules for IPv4: mapped ones are matched by BlockList itself, the others are refused whole.
const refused: readonly (readonly [string, string])[] = [
  ['unspecified', '0.0.0.0/8'],
  ['private', '10.0.0.0/8'],
  ['shared (carrier NAT)', '100.64.0.0/10'],
  ['link-local (cloud metadata)', '169.254.0.0/16'],
  ['private', '172.16.0.0/12'],
  ['protocol assignments', '192.0.0.0/24'],
  ['documentation', '192.0.2.0/24'],
  ['6to4 relay', '192.88.99.0/24'],
  ['private', '192.168.0.0/16'],
  ['benchmarking', '198.18.0.0/15'],
  ['documentation', '198.51.100.0/24'],
  ['documentation', '203.0.113.0/24'],
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'],
  ['unspecified', '::/128'],
  ['IPv4-compatible', '::/96'],
  ['IPv4-translated', '::ffff:0:0:0/96'],
  ['NAT64', '64:ff9b::/96'],
  ['NAT64', '64:ff9b:1::/48'],
  ['discard', '100::/64'],
  ['protocol assignments (Teredo)', '2001::/23'],
  ['documentation', '2001:db8::/32'],
  ['6to4', '2002::/16'],
  ['documentation', '3fff::/20'],
  ['segment routing', '5f00::/16'],
  ['unique local (private)', 'fc00::/7'],
  ['link-local', 'fe80::/10'],
  ['site-local', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
];

const loopbackList = blockList(loopback);
const refusedLists = refused.map(([name, cidr]) => ({ name, cidr, list: blockList([cidr]) }));

/** Judges one address: undefined when it may be dialled, else the rule it breaks. */
export type AddressJudge = (address: string) => string | undefined;

/**
 * @throws Error when a block of `allowPrivate` is no CIDR.
 */
export function addressJudge(policy: NetworkPolicy = {}): AddressJudge {
  const allowed = blockList(policy.allowPrivate ?? []);
  const allowLoopback = policy.allowLoopback ?? false;
  return (address) => {
    const bare = address.replace(/%.*$/, '');
    const version = isIP(bare);
    if (version === 0) return `"${bare.slice(0, 64)}" is no IP address`;
    const family: Family = version === 4 ? 'ipv4' : 'ipv6';
    if (allowed.check(bare, family)) return undefined;
    if (loopbackList.check(bare, family)) {
      return allowLoopback
        ? undefined
        : `${bare} is loopback: set allowLoopback: true when the parent agent runs on this host`;
    }
    const hit = refusedLists.find(({ list }) => list.check(bare, family));
    if (hit === undefined) return undefined;
    return `${bare} is ${hit.name}, in ${hit.cidr}: list the network in allowPrivate if it is yours`;
  };
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', bits = ''] = block.split('/');
    const version = isIP(network);
    if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) {
      throw new Error(`allowPrivate: "${block}" is no network; write it as 10.0.0.0/8 or fd00::/8`);
    }
    list.addSubnet(network, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
