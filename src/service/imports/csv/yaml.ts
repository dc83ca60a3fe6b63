// The parser of YAML in a module of its own, which is loaded with the first map. A package that is
// CommonJS must not be imported dynamically by its name: in the bundle it has no exports but `default`.
export { parseDocument } from 'yaml';
