# What `cmake --install` adds to the program and its plugins, and the .deb that CPack makes of it (ci/package).

set(documents "${CMAKE_INSTALL_DATAROOTDIR}/doc/railgauge")
install(FILES README.md LICENSE CHANGELOG.md DESTINATION "${documents}")
install(DIRECTORY docs/ DESTINATION "${documents}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.xsd" PATTERN "*.svg" PATTERN "*.png"
        PATTERN "measured" EXCLUDE)
# Written by ci/sbom when it is packaged, for what was linked.
install(FILES "${PROJECT_BINARY_DIR}/sbom/sbom.spdx.json" "${PROJECT_BINARY_DIR}/sbom/THIRD-PARTY-LICENSES.txt"
        DESTINATION "${documents}" OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME railgauge)
set(CPACK_PACKAGE_VENDOR railgauge)
set(CPACK_PACKAGE_CONTACT "The railgauge developers <railgauge@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find slow links in GPU and HPC clusters")
set(CPACK_PACKAGE_DESCRIPTION "Maps the links of a machine and of a fabric, measures collectives and RDMA with
confidence intervals and full data checks, and names the host, NIC or cable that
underperforms. Drop-in names of nccl-tests are included.")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)  # of everything alike; package_depends.cmake knows what may be missing
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/package_depends.cmake")
set(CPACK_RAILGAUGE_BUILD "${PROJECT_BINARY_DIR}")
# A package belongs to the release that it was built on, whose libraries it is linked with.
set(release "")
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release release REGEX "^VERSION_ID=")
endif()
string(REGEX MATCH "[0-9.]+" release "${release}")
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~deb${release}")
if(EXISTS /usr/bin/dpkg)
  include(CPack)
endif()
