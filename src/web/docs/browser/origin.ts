// The address of the service in samples: the public address if it is set, otherwise the origin of this page.
export const serviceOrigin = () => document.documentElement.dataset['origin'] ?? location.origin
