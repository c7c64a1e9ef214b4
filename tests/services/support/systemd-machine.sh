#!/bin/bash
# Runs systemd as process 1 of a machine of its own: namespaces, control groups, and an overlay of this machine's files, in
# memory. Only the network is this machine's. Needs root. It ends, and removes everything, when its standard input ends.
# $1: a folder whose files are put over those of the machine; $2: Node.js; $3: the gateway, which it has twice; $4: an empty folder
set -euo pipefail
files=$1 node=$2 gateway=$3 memory=$4
root=$memory/root

case ${STEP-outside} in
  outside)
    # A mount namespace of its own, so that the mounts below end with it.
    STEP=mounts exec unshare --mount "$0" "$@"
    ;;

  mounts)
    # A signal to all processes of a test ends that test, and with it the standard input.
    trap '' HUP INT TERM
    mount -t tmpfs tmpfs "$memory"
    mkdir "$memory"/{upper,work,root,groups}
    mount -t cgroup2 cgroup2 "$memory/groups"
    group=$memory/groups/auth-gateway-test-$$
    mkdir "$group"
    STEP=machine setsid bash -c 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"' - "$group" \
      unshare --pid --mount --uts --ipc --cgroup --fork --kill-child "$0" "$@" < /dev/null &
    cat > /dev/null
    kill -KILL $!
    # The kernel takes a moment to empty a group.
    for ((tries = 0; tries < 100; tries += 1)); do
      find "$group" -depth -type d -exec rmdir {} + 2> /dev/null && break
      sleep 0.1
    done
    ;;

  machine)
    mount -t overlay overlay -o "lowerdir=/,upperdir=$memory/upper,workdir=$memory/work" "$root"
    for folder in run tmp; do mount -t tmpfs tmpfs "$root/$folder"; done
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t sysfs sysfs "$root/sys"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
    # Two versions, and a disk for backups.
    mkdir -p "$root"/opt/auth-gateway-{1,2} "$root/mnt/backups" "$root/before"
    touch "$root/usr/bin/node"
    mount --bind "$node" "$root/usr/bin/node"
    for version in 1 2; do mount --bind "$gateway" "$root/opt/auth-gateway-$version"; done
    mount -t tmpfs tmpfs "$root/mnt/backups"
    cp -r "$files/." "$root"
    printf '[Unit]\nWants=dbus.socket\n' > "$root/etc/systemd/system/test.target"
    cd "$root"
    pivot_root . before
    umount --lazy /before
    # As systemd does it outside of containers: credentials reach a unit this way.
    mount --make-rshared /
    container=test exec /lib/systemd/systemd --system --unit=test.target --log-target=console --show-status=no
    ;;
esac
