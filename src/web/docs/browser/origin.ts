// The address of the service in samples: the one that callers use, where the operator has set it; else where this page came from.
export const serviceOrigin = () => document.documentElement.dataset['origin'] ?? location.origin
