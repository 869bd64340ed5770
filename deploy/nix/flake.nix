# Watchword for Nix, in the archive `watchword-VERSION-nix.tar.gz` of a release. The release adds `release.json`, which says where
# the archives of each platform are, and their hashes.
{
  description = "Phone verification codes on your own server";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      release = builtins.fromJSON (builtins.readFile ./release.json);
      packageOf = system: nixpkgs.legacyPackages.${system}.callPackage ./package.nix { inherit release; };
    in
    {
      packages = builtins.mapAttrs (system: _: { default = packageOf system; }) release.archives;

      nixosModules.default =
        { lib, pkgs, ... }:
        {
          imports = [ ./module.nix ];
          services.watchword.package = lib.mkDefault (packageOf pkgs.stdenv.hostPlatform.system);
        };
    };
}
