/** The bundler stores an imported font and exports its address. */
declare module "*.woff2" {
  const address: string;
  export default address;
}
