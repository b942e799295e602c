export const other = () => [];
