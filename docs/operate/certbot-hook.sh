#!/bin/sh
# For certbot: copy it to /etc/letsencrypt/renewal-hooks/deploy/vitrine (mode 755). It runs after every renewal, and hands the new
# certificate to Vitrine, which notices by itself. Only root and the group vitrine may read the key.
set -eu
for name in privkey fullchain; do
  install -m 640 -g vitrine "$RENEWED_LINEAGE/$name.pem" "/etc/vitrine/$name.pem.new"
  mv "/etc/vitrine/$name.pem.new" "/etc/vitrine/$name.pem"
done
