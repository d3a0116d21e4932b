// Stylesheets are imported for their effect; the builder gathers them.

declare module "*.css";
