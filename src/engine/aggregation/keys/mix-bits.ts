// The finaliser of MurmurHash3: spreads what differs anywhere in 32 bits over the low bits, which tables look at.
export function mixBits(bits: number): number {
  let h = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
