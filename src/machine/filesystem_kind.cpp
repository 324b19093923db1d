#include "machine/filesystem_kind.hpp"

#include <algorithm>
#include <array>

namespace feedtune {
namespace {

struct Kind {
  std::string_view type, kind;
};

constexpr auto kinds = std::to_array<Kind>({
    {"ext2", "local"},       {"ext3", "local"},          {"ext4", "local"},         {"xfs", "local"},          {"btrfs", "local"},
    {"zfs", "local"},        {"f2fs", "local"},          {"bcachefs", "local"},     {"jfs", "local"},          {"vfat", "local"},
    {"exfat", "local"},      {"ntfs3", "local"},         {"squashfs", "local"},     {"erofs", "local"},        {"iso9660", "local"},
    {"nfs", "network"},      {"nfs4", "network"},        {"cifs", "network"},       {"smb3", "network"},       {"smbfs", "network"},
    {"lustre", "network"},   {"ceph", "network"},        {"gpfs", "network"},       {"beegfs", "network"},     {"wekafs", "network"},
    {"afs", "network"},      {"pvfs2", "network"},       {"orangefs", "network"},   {"panfs", "network"},      {"gfs2", "network"},
    {"ocfs2", "network"},    {"fuse.glusterfs", "network"}, {"fuse.sshfs", "network"}, {"fuse.s3fs", "network"}, {"fuse.gcsfuse", "network"},
    {"fuse.juicefs", "network"}, {"fuse.ceph-fuse", "network"}, {"fuse.rclone", "network"}, {"fuse.goofys", "network"},
    {"9p", "host"},          {"virtiofs", "host"},       {"vboxsf", "host"},        {"drvfs", "host"},         {"fuse.vmhgfs-fuse", "host"},
    {"tmpfs", "memory"},     {"ramfs", "memory"},        {"devtmpfs", "memory"},    {"overlay", "overlay"},    {"aufs", "overlay"},
    {"fuse.fuse-overlayfs", "overlay"},
});

}  // namespace

std::string_view filesystem_kind(std::string_view type) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.type == type; });
  if (found != kinds.end()) return found->kind;
  return type.substr(0, 4) == "fuse" ? "fuse" : "other";
}

}  // namespace feedtune
