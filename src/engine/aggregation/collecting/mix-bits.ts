// The finaliser of MurmurHash3: spreads differences in any of 32 bits to the low bits, which hash
// tables use.
export function mixBits(bits: number): number {
  let h = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
